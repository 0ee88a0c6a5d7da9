package dev.mely.bench.server;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/** A server's handler whose clients go when they like, which is how each sample ends. */
@SuppressWarnings("FutureReturnValueIgnored") // it closes, or is closed already
abstract class LeavingHandler extends ChannelInboundHandlerAdapter {
  @Override
  public final void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    ctx.close();
  }
}
