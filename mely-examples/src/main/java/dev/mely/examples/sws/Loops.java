package dev.mely.examples.sws;

import io.netty.channel.IoEventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The event loops that run the server: the one place that knows which event loop group it is.
 *
 * <p>An accepted connection is registered with the group as a whole, so that a group which gives
 * each channel a color of its own can do so.
 */
final class Loops implements AutoCloseable {
  private final IoEventLoopGroup group;
  private final Class<? extends ServerSocketChannel> serverChannel;
  private final String description;

  private Loops(
      IoEventLoopGroup group,
      Class<? extends ServerSocketChannel> serverChannel,
      String description) {
    this.group = group;
    this.serverChannel = serverChannel;
    this.description = description;
  }

  /**
   * Starts the loops.
   *
   * @throws IllegalArgumentException if the transport is not available here; the message says why
   */
  static Loops open(int cores, Transport transport, Policy policy) {
    boolean epoll = isEpoll(transport);
    IoHandlerFactory io = epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
    IoEventLoopGroup group =
        new MultiThreadIoEventLoopGroup(cores, new DefaultThreadFactory("sws-core"), io);
    String description =
        String.format(
            "%d core%s, %s, policy %s",
            cores, cores == 1 ? "" : "s", epoll ? Transport.EPOLL : Transport.NIO, policy);
    return new Loops(
        group, epoll ? EpollServerSocketChannel.class : NioServerSocketChannel.class, description);
  }

  private static boolean isEpoll(Transport transport) {
    if (transport == Transport.EPOLL && !Epoll.isAvailable()) {
      throw new IllegalArgumentException(
          "transport 'epoll' is not available here: " + Epoll.unavailabilityCause().getMessage());
    }
    return transport != Transport.NIO && Epoll.isAvailable();
  }

  IoEventLoopGroup group() {
    return group;
  }

  Class<? extends ServerSocketChannel> serverChannel() {
    return serverChannel;
  }

  /** Cores, transport and policy, as a person reads them. */
  String description() {
    return description;
  }

  /** What each core has done so far; empty if the group does not count. */
  List<CoreTable.Row> rows() {
    return List.of();
  }

  /** Stops the loops and waits for their threads to end. */
  @Override
  public void close() {
    group.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly(10, TimeUnit.SECONDS);
  }
}
