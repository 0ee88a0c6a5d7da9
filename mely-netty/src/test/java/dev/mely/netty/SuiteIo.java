package dev.mely.netty;

import io.netty.channel.Channel;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.SocketProtocolFamily;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.uring.IoUringDatagramChannel;
import io.netty.channel.uring.IoUringDomainSocketChannel;
import io.netty.channel.uring.IoUringServerDomainSocketChannel;
import io.netty.channel.uring.IoUringServerSocketChannel;
import io.netty.channel.uring.IoUringSocketChannel;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The transports and socket families that Netty's socket tests run on. */
enum SuiteIo {
  NIO("nio", NioServerSocketChannel.class, NioSocketChannel.class, NioDatagramChannel::new, null),
  EPOLL(
      "epoll",
      EpollServerSocketChannel.class,
      EpollSocketChannel.class,
      EpollDatagramChannel::new,
      null),
  IO_URING(
      "io_uring",
      IoUringServerSocketChannel.class,
      IoUringSocketChannel.class,
      IoUringDatagramChannel::new,
      null),
  NIO_DOMAIN(
      "nio",
      NioServerDomainSocketChannel.class,
      NioDomainSocketChannel.class,
      null,
      UnixDomainSocketAddress::of),
  EPOLL_DOMAIN(
      "epoll",
      EpollServerDomainSocketChannel.class,
      EpollDomainSocketChannel.class,
      null,
      DomainSocketAddress::new),
  IO_URING_DOMAIN(
      "io_uring",
      IoUringServerDomainSocketChannel.class,
      IoUringDomainSocketChannel.class,
      null,
      DomainSocketAddress::new);

  final String transport;
  final Class<? extends ServerChannel> server;
  final Class<? extends Channel> client;

  /** Null: no datagrams. */
  final @Nullable Function<SocketProtocolFamily, DatagramChannel> datagram;

  /** Makes an address of a path; null: Internet addresses. */
  final @Nullable Function<String, SocketAddress> domainAddress;

  SuiteIo(
      String transport,
      Class<? extends ServerChannel> server,
      Class<? extends Channel> client,
      @Nullable Function<SocketProtocolFamily, DatagramChannel> datagram,
      @Nullable Function<String, SocketAddress> domainAddress) {
    this.transport = transport;
    this.server = server;
    this.client = client;
    this.datagram = datagram;
    this.domainAddress = domainAddress;
  }

  boolean isDomain() {
    return domainAddress != null;
  }

  /** Whether this machine has it: the kernel may refuse io_uring. */
  boolean isAvailable() {
    return Transports.named(transport).unavailabilityCause() == null;
  }

  IoHandlerFactory newFactory() {
    return Transports.named(transport).newFactory();
  }

  /**
   * Those on which the whole suite runs. Not io_uring with Internet addresses: there the tests of
   * datagrams hang, and those of half closure time out, on Netty's own group; see {@link
   * IoUringTest} and the Unix addresses instead.
   */
  static Set<SuiteIo> whole() {
    Set<SuiteIo> whole = EnumSet.allOf(SuiteIo.class);
    whole.removeIf(io -> io == IO_URING || !io.isAvailable());
    return whole;
  }
}
