package dev.mely.bench.server;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/** A server's handler whose clients may disconnect at any time, as at the end of a sample. */
@SuppressWarnings("FutureReturnValueIgnored") // the channel closes, or is closed already
abstract class LeavingHandler extends ChannelInboundHandlerAdapter {
  @Override
  public final void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    ctx.close();
  }
}
