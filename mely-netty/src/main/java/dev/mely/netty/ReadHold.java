package dev.mely.netty;

import io.netty.channel.ChannelHandlerContext;

/**
 * Holds back the reads of a channel whose messages are handled elsewhere. Sockets read on unasked
 * as long as auto-read is on, so it is off meanwhile. Confined to the channel's event loop.
 */
final class ReadHold {
  /** Auto-read is off because of this. */
  private boolean autoReadOff;

  /** A handler has asked for a read, which has to wait. */
  void hold(ChannelHandlerContext ctx) {
    if (ctx.channel().config().isAutoRead()) {
      autoReadOff = true;
      ctx.channel().config().setAutoRead(false);
    }
  }

  /** Reads, now that it need not wait any more. */
  void read(ChannelHandlerContext ctx) {
    boolean wasOff = autoReadOff;
    autoReadOff = false;
    if (wasOff && !ctx.channel().config().isAutoRead()) {
      ctx.channel().config().setAutoRead(true); // which reads
    } else {
      ctx.read();
    }
  }
}
