package dev.mely.bench.server;

import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;

/** Sends back its input. */
@ChannelHandler.Sharable
@SuppressWarnings("FutureReturnValueIgnored") // the void promise reports failures to the pipeline
final class EchoHandler extends LeavingHandler {
  static final EchoHandler INSTANCE = new EchoHandler();

  private EchoHandler() {}

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ctx.write(message, ctx.voidPromise());
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    ctx.flush();
  }
}
