package dev.mely.bench.server;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.util.BitSet;
import java.util.SplittableRandom;

/**
 * The only clients of a counter. They check that it is atomic: no two increments return the same
 * value, and every value lies between the greatest one seen when the request was sent and the
 * number of increments sent when the answer arrived.
 *
 * <p>One thread only.
 */
final class CounterClients {
  private static final long SEED = 2013;

  private final int readPercent;
  private final SplittableRandom random = new SplittableRandom(SEED);
  private final BitSet returned = new BitSet();
  private long sent;
  private long seen;

  /**
   * @param readPercent percentage of reads; the other operations increment
   */
  CounterClients(int readPercent) {
    this.readPercent = readPercent;
  }

  /** Makes one more client. */
  FixedDialogue connect() {
    return new Client();
  }

  private final class Client extends FixedDialogue {
    private byte operation;
    private long atLeast;

    Client() {
      super(1, Long.BYTES);
    }

    @Override
    void ask(ByteBuf request) {
      boolean reads = random.nextInt(100) < readPercent;
      operation = reads ? CounterHandler.READ : CounterHandler.INCREMENT;
      atLeast = reads ? seen : seen + 1;
      sent += reads ? 0 : 1;
      request.writeByte(operation);
    }

    @Override
    void check(ByteBuf reply) throws IOException {
      long value = reply.readLong();
      if (value < atLeast || value > sent) {
        throw new IOException(
            "the counter is " + value + ", but should be between " + atLeast + " and " + sent);
      }
      if (operation == CounterHandler.INCREMENT) {
        if (returned.get((int) value)) {
          throw new IOException("two increments have returned " + value);
        }
        returned.set((int) value);
      }
      seen = Math.max(seen, value);
    }
  }
}
