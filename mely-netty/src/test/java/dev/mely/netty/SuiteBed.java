package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.Migrating;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.socket.SocketProtocolFamily;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapComboFactory;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapFactory;
import io.netty.util.NetUtil;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** What Netty's socket tests run on: a transport, and one group for servers and clients. */
final class SuiteBed implements AutoCloseable {
  private static final int CORES = 4;

  /** What kind of group. */
  enum Mode {
    /** Netty's own. */
    STOCK,
    /** Mely's, with all stealing heuristics. */
    STEALING,
    /** Mely's, and each activation of a color goes to a core drawn at random. */
    MIGRATING
  }

  final SuiteIo io;
  final Mode mode;
  private final EventLoopGroup group;

  SuiteBed(SuiteIo io, Mode mode) {
    this.io = io;
    this.mode = mode;
    MelyEventLoopGroupBuilder builder =
        MelyEventLoopGroup.builder().cores(CORES).ioHandlerFactory(io.newFactory());
    this.group =
        switch (mode) {
          case STOCK -> new MultiThreadIoEventLoopGroup(CORES, io.newFactory());
          case STEALING -> builder.build();
          case MIGRATING -> builder.runtime(Migrating.by(1)).build();
        };
  }

  /** One bed for each transport that this machine has. */
  static List<SuiteBed> all(Mode mode, boolean domain) {
    return all(mode, domain, SuiteIo.whole());
  }

  /** One bed for each of these transports that this machine has. */
  static List<SuiteBed> all(Mode mode, boolean domain, Set<SuiteIo> transports) {
    return transports.stream()
        .filter(io -> io.isDomain() == domain && io.isAvailable())
        .map(io -> new SuiteBed(io, mode))
        .toList();
  }

  EventLoopGroup group() {
    return group;
  }

  List<BootstrapFactory<ServerBootstrap>> serverSocket() {
    return List.of(() -> new ServerBootstrap().group(group).channel(io.server));
  }

  List<BootstrapFactory<Bootstrap>> clientSocket() {
    return List.of(() -> new Bootstrap().group(group).channel(io.client));
  }

  List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> socket() {
    return List.of(
        new BootstrapComboFactory<>() {
          @Override
          public ServerBootstrap newServerInstance() {
            return serverSocket().get(0).newInstance();
          }

          @Override
          public Bootstrap newClientInstance() {
            return clientSocket().get(0).newInstance();
          }
        });
  }

  List<BootstrapFactory<Bootstrap>> datagramSocket() {
    return List.of(() -> datagramSocket(null));
  }

  /** Null: the family that the channel takes by default. */
  private Bootstrap datagramSocket(@Nullable SocketProtocolFamily family) {
    ChannelFactory<Channel> factory = () -> io.datagram.apply(family);
    return new Bootstrap().group(group).channelFactory(factory);
  }

  List<BootstrapComboFactory<Bootstrap, Bootstrap>> datagram(SocketProtocolFamily family) {
    return List.of(
        new BootstrapComboFactory<>() {
          @Override
          public Bootstrap newServerInstance() {
            return datagramSocket(family);
          }

          @Override
          public Bootstrap newClientInstance() {
            return datagramSocket(family);
          }
        });
  }

  SocketAddress newSocketAddress() {
    if (!io.isDomain()) {
      return new InetSocketAddress(NetUtil.LOCALHOST, 0);
    }
    try {
      Path path = Files.createTempFile("mely", "");
      Files.delete(path); // bind makes it
      path.toFile().deleteOnExit();
      return io.domainAddress.apply(path.toString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Checks the address of a connected channel. */
  void assertAddress(SocketAddress address) {
    assertNotNull(address);
    if (!io.isDomain()) {
      assertTrue(assertInstanceOf(InetSocketAddress.class, address).getPort() > 0);
    }
  }

  @Override
  public void close() {
    group.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
  }

  @Override
  public String toString() {
    return io + " " + mode;
  }
}
