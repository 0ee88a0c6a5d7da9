package dev.mely.netty;

import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerFactory;
import java.util.List;

/** Local channels, and any I/O handler that is not known: its channels stay on their core. */
final class OtherTransport extends Transport {
  private final IoHandlerFactory factory;
  private final List<String> known;

  /**
   * @param factory makes the I/O handlers
   * @param known the names of the known transports, for the message
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
