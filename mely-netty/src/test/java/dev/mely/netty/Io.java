package dev.mely.netty;

import io.netty.channel.Channel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;

/** The transports whose channels are colored. */
enum Io {
  NIO,
  EPOLL;

  /** A builder for a group of this transport. */
  MelyEventLoopGroupBuilder builder() {
    return MelyEventLoopGroup.builder().transport(name());
  }

  /** A channel that is not registered. */
  Channel socketChannel() {
    return this == NIO ? new NioSocketChannel() : new EpollSocketChannel();
  }
}
