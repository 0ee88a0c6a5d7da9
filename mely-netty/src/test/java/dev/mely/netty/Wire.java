package dev.mely.netty;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.local.LocalAddress;
import io.netty.channel.local.LocalChannel;
import io.netty.channel.local.LocalIoHandler;
import io.netty.channel.local.LocalServerChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringServerSocketChannel;
import io.netty.channel.uring.IoUringSocketChannel;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Arrays;
import java.util.List;

/**
 * All transports, those included whose channels stay on their core (for the others, {@link Io}).
 */
enum Wire {
  NIO,
  EPOLL,
  LOCAL,
  IO_URING;

  /** Those that this machine has. */
  static List<Wire> available() {
    return Arrays.stream(values()).filter(w -> w != IO_URING || IoUring.isAvailable()).toList();
  }

  private IoHandlerFactory factory() {
    return switch (this) {
      case NIO -> NioIoHandler.newFactory();
      case EPOLL -> EpollIoHandler.newFactory();
      case LOCAL -> LocalIoHandler.newFactory();
      case IO_URING -> IoUringIoHandler.newFactory();
    };
  }

  /** A builder for a group of this transport. */
  MelyEventLoopGroupBuilder builder() {
    return MelyEventLoopGroup.builder().ioHandlerFactory(factory());
  }

  /** A group of Netty's own, for the other end. */
  EventLoopGroup stock() {
    return new MultiThreadIoEventLoopGroup(1, factory());
  }

  private Class<? extends ServerChannel> serverClass() {
    return switch (this) {
      case NIO -> NioServerSocketChannel.class;
      case EPOLL -> EpollServerSocketChannel.class;
      case LOCAL -> LocalServerChannel.class;
      case IO_URING -> IoUringServerSocketChannel.class;
    };
  }

  /** A client's channel that is not registered. */
  Channel newChannel() {
    return switch (this) {
      case NIO -> new NioSocketChannel();
      case EPOLL -> new EpollSocketChannel();
      case LOCAL -> new LocalChannel();
      case IO_URING -> new IoUringSocketChannel();
    };
  }

  private SocketAddress anyAddress() {
    return this == LOCAL ? LocalAddress.ANY : new InetSocketAddress("127.0.0.1", 0);
  }

  /** A server that listens. */
  Channel bind(EventLoopGroup group, ChannelHandler child) throws InterruptedException {
    return new ServerBootstrap()
        .group(group)
        .channel(serverClass())
        .childHandler(child)
        .bind(anyAddress())
        .sync()
        .channel();
  }

  /** A client that is connected. */
  Channel connect(EventLoopGroup group, SocketAddress server, ChannelHandler handler)
      throws InterruptedException {
    return new Bootstrap()
        .group(group)
        .channelFactory(this::newChannel)
        .handler(handler)
        .connect(server)
        .sync()
        .channel();
  }
}
