package dev.mely.netty;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.DefaultChannelPipeline;

/**
 * The pipeline of off-loaded handlers. What they do not consume leaves at its tail, and goes on in
 * the real pipeline. Confined to the color, except for what Netty's pipeline lets any thread do.
 */
final class OffloadPipeline extends DefaultChannelPipeline {
  private final Outbound outbound;

  OffloadPipeline(Channel channel, Outbound outbound) {
    super(channel);
    this.outbound = outbound;
  }

  private ChannelHandlerContext outer() {
    return outbound.context();
  }

  @Override
  protected void onUnhandledInboundMessage(Object message) {
    outbound.fireRead(message);
  }

  @Override
  protected void onUnhandledInboundMessage(ChannelHandlerContext ctx, Object message) {
    outbound.fireRead(message);
  }

  /** One for each burst: not for the tail of the channel's pipeline alone. */
  @Override
  protected void onUnhandledInboundChannelReadComplete() {
    if (outer().pipeline().last() != outer().handler()) {
      outbound.call(outer()::fireChannelReadComplete);
    }
  }

  @Override
  protected void onUnhandledInboundUserEventTriggered(Object event) {
    outbound.call(() -> outer().fireUserEventTriggered(event));
  }

  @Override
  protected void onUnhandledInboundException(Throwable cause) {
    outbound.call(() -> outer().fireExceptionCaught(cause));
  }

  @Override
  protected void onUnhandledInboundChannelActive() {
    outbound.call(outer()::fireChannelActive);
  }

  /** The handlers behind have been told at once, see {@link OffloadHandler#channelInactive}. */
  @Override
  protected void onUnhandledInboundChannelInactive() {}

  @Override
  protected void onUnhandledChannelWritabilityChanged() {
    if (!outbound.isOwnWritability()) {
      outbound.call(outer()::fireChannelWritabilityChanged);
    }
  }
}
