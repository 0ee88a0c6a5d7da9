package dev.mely.examples.sws;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import org.slf4j.LoggerFactory;

/**
 * Says that connections cannot be accepted, once in a while, for as long as that goes on. Behind
 * Netty's acceptor, which has taken a second's rest by then.
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
        "cannot accept connections beside the {} there are, and will try again each second: {}",
        cap.clients.get(),
        cause.toString());
  }
}
