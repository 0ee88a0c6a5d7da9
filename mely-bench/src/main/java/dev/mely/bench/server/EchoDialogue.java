package dev.mely.bench.server;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.util.Locale;

/** Requests the echo of 16 bytes, which never repeat on a connection. */
final class EchoDialogue extends FixedDialogue {
  private static final long TAG = 0x4D656C79_45766521L;

  private long number;

  EchoDialogue() {
    super(Frame.BYTES, Frame.BYTES);
  }

  @Override
  void ask(ByteBuf request) {
    request.writeLong(++number).writeLong(number ^ TAG);
  }

  @Override
  void check(ByteBuf reply) throws IOException {
    long first = reply.readLong();
    long second = reply.readLong();
    if (first != number || second != (number ^ TAG)) {
      throw new IOException(
          String.format(Locale.ROOT, "message %d came back as %x %x", number, first, second));
    }
  }
}
