package dev.mely.examples.sws;

import dev.mely.Statistics;
import dev.mely.StealPolicy;
import dev.mely.netty.MelyEventLoopGroup;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The event loops that run the server: its own, which are Mely's and give an accepted connection a
 * color of its own, or any that its starter lends.
 */
final class Loops implements AutoCloseable {
  private final EventLoopGroup group;
  private final Class<? extends ServerSocketChannel> serverChannel;
  private final String description;
  private final boolean lent;

  private Loops(
      EventLoopGroup group,
      Class<? extends ServerSocketChannel> serverChannel,
      String description,
      boolean lent) {
    this.group = group;
    this.serverChannel = serverChannel;
    this.description = description;
    this.lent = lent;
  }

  /**
   * Starts the loops.
   *
   * @throws IllegalArgumentException if the transport is not available here; the message says why
   */
  static Loops open(int cores, Transport transport, StealPolicy policy) {
    if (transport == Transport.EPOLL && !Epoll.isAvailable()) {
      throw new IllegalArgumentException(
          "transport 'epoll' is not available here: " + Epoll.unavailabilityCause().getMessage());
    }
    MelyEventLoopGroup group =
        MelyEventLoopGroup.builder()
            .cores(cores)
            .transport(transport.toString())
            .policy(policy)
            .threadFactory(new DefaultThreadFactory("sws-core"))
            .build();
    boolean nio = group.serverSocketChannelType() == NioServerSocketChannel.class;
    String description =
        String.format(
            "%d core%s, %s, policy %s",
            cores, cores == 1 ? "" : "s", nio ? Transport.NIO : Transport.EPOLL, policy);
    return new Loops(group, group.serverSocketChannelType(), description, false);
  }

  /** Takes loops that somebody else starts and stops. */
  static Loops lent(EventLoopGroup group, Class<? extends ServerSocketChannel> serverChannel) {
    String description = group.getClass().getSimpleName() + ", " + serverChannel.getSimpleName();
    return new Loops(group, serverChannel, description, true);
  }

  EventLoopGroup group() {
    return group;
  }

  Class<? extends ServerSocketChannel> serverChannel() {
    return serverChannel;
  }

  /** Cores, transport and policy, as a person reads them. */
  String description() {
    return description;
  }

  /** What each core has done so far; nothing of loops that do not count. */
  List<CoreTable.Row> rows() {
    return group instanceof MelyEventLoopGroup mely
        ? mely.statistics().cores().stream().map(Loops::row).toList()
        : List.of();
  }

  private static CoreTable.Row row(Statistics.PerCore core) {
    return new CoreTable.Row(
        core.core(), core.events(), core.colorsStolen(), Duration.ofNanos(core.stolenNanos()));
  }

  /** Stops the loops and waits for their threads to end; leaves lent ones alone. */
  @Override
  public void close() {
    if (!lent) {
      group.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly(10, TimeUnit.SECONDS);
    }
  }
}
