package dev.mely.bench.server;

import dev.mely.bench.Labels;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.util.List;
import java.util.Locale;

/** Netty's transports. */
enum Transport {
  NIO,
  EPOLL;

  /** The name on the command line. */
  String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The transport of that name. */
  static Transport parse(String name) {
    return Labels.parse("transport", name, List.of(values()), Transport::label);
  }

  boolean isAvailable() {
    return this == NIO || Epoll.isAvailable();
  }

  IoHandlerFactory newFactory() {
    return this == NIO ? NioIoHandler.newFactory() : EpollIoHandler.newFactory();
  }

  Class<? extends ServerSocketChannel> serverChannel() {
    return this == NIO ? NioServerSocketChannel.class : EpollServerSocketChannel.class;
  }
}
