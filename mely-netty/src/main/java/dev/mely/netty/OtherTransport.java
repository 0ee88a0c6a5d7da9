package dev.mely.netty;

import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerFactory;
import java.util.List;

/** Local channels, and whatever else a factory makes: of it nothing is known, so nothing moves. */
final class OtherTransport extends Transport {
  private final IoHandlerFactory factory;
  private final List<String> known;

  /**
   * @param factory who makes the handlers
   * @param known the names of the transports that it is none of
   */
  OtherTransport(IoHandlerFactory factory, List<String> known) {
    super(true);
    this.factory = factory;
    this.known = known;
  }

  @Override
  boolean serves(IoHandler io) {
    return true;
  }

  @Override
  IoHandlerFactory newFactory() {
    return factory;
  }

  @Override
  ChannelTypes channelTypes() {
    throw new IllegalStateException("the transport is none of " + known);
  }
}
