package dev.mely.bench.server;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;

/** Answers each byte with a large, newly allocated response. */
@ChannelHandler.Sharable
@SuppressWarnings("FutureReturnValueIgnored") // the void promise reports failures to the pipeline
final class LargeHandler extends LeavingHandler {
  static final LargeHandler INSTANCE = new LargeHandler();

  /** Size of a response. */
  static final int BYTES = 256 * 1024;

  /** Size of the sockets' send buffers; Linux doubles it. */
  static final int SEND_BUFFER = 32 * 1024;

  private LargeHandler() {}

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ByteBuf asked = (ByteBuf) message;
    int requests = asked.readableBytes();
    asked.release();
    for (int i = 0; i < requests; i++) {
      ctx.write(ctx.alloc().directBuffer(BYTES).writeZero(BYTES), ctx.voidPromise());
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    ctx.flush();
  }
}
