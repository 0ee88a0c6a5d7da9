package dev.mely.netty.doctor;

import dev.mely.netty.MelyEventLoopGroup;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.nio.NioIoHandler;

/** Mely's, for a {@link BusyServer}, which knows no class that Netty 4.1 lacks. */
final class MelyGroup {
  private MelyGroup() {}

  static EventLoopGroup make() {
    return new MelyEventLoopGroup(NioIoHandler.newFactory());
  }
}
