package dev.mely.bench.server;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.handler.codec.FixedLengthFrameDecoder;
import java.io.IOException;

/** A dialogue of messages with fixed lengths. */
abstract class FixedDialogue implements Dialogue {
  private final int requestBytes;
  private final int replyBytes;

  FixedDialogue(int requestBytes, int replyBytes) {
    this.requestBytes = requestBytes;
    this.replyBytes = replyBytes;
  }

  /** Writes the next request. */
  abstract void ask(ByteBuf request);

  /**
   * Checks the answer.
   *
   * @throws IOException if it is wrong; the message says how
   */
  abstract void check(ByteBuf reply) throws IOException;

  @Override
  public final void install(Channel channel) {
    channel.pipeline().addLast(new FixedLengthFrameDecoder(replyBytes));
  }

  @Override
  public final Object ask(ByteBufAllocator allocator) {
    ByteBuf request = allocator.directBuffer(requestBytes);
    ask(request);
    return request;
  }

  @Override
  public final boolean ends(Object part) throws IOException {
    check((ByteBuf) part);
    return true;
  }
}
