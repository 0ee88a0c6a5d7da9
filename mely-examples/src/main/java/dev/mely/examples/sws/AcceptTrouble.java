package dev.mely.examples.sws;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import org.slf4j.LoggerFactory;

/**
 * Logs that connections cannot be accepted, at intervals while that lasts. Placed after Netty's
 * acceptor, which has already paused for a second.
 */
final class AcceptTrouble extends ChannelInboundHandlerAdapter {
  private final SparseLog log = new SparseLog(LoggerFactory.getLogger(AcceptTrouble.class));
  private final ClientCap cap;

  AcceptTrouble(ClientCap cap) {
    this.cap = cap;
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    log.warn(
        "cannot accept more connections than the {} open ones; will try again every second: {}",
        cap.clients.get(),
        cause.toString());
  }
}
