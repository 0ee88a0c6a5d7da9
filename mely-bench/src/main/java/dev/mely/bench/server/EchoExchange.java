package dev.mely.bench.server;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Locale;

/** Asks for the echo of 16 bytes, which are never the same twice on a connection. */
final class EchoExchange implements Exchange {
  private static final long TAG = 0x4D656C79_45766521L;

  private long number;

  @Override
  public int requestBytes() {
    return Frame.BYTES;
  }

  @Override
  public int replyBytes() {
    return Frame.BYTES;
  }

  @Override
  public void ask(ByteBuffer request) {
    request.putLong(++number).putLong(number ^ TAG);
  }

  @Override
  public void check(ByteBuffer reply) throws IOException {
    long first = reply.getLong();
    long second = reply.getLong();
    if (first != number || second != (number ^ TAG)) {
      throw new IOException(
          String.format(Locale.ROOT, "message %d came back as %x %x", number, first, second));
    }
  }
}
