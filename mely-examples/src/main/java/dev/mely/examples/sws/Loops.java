package dev.mely.examples.sws;

import dev.mely.Statistics;
import dev.mely.StealPolicy;
import dev.mely.netty.MelyEventLoopGroup;
import io.netty.channel.IoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The event loops that run the server. An accepted connection is registered with the group as a
 * whole, which gives it a color of its own.
 */
final class Loops implements AutoCloseable {
  private final MelyEventLoopGroup group;
  private final String description;

  private Loops(MelyEventLoopGroup group, String description) {
    this.group = group;
    this.description = description;
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
    return new Loops(group, description);
  }

  IoEventLoopGroup group() {
    return group;
  }

  Class<? extends ServerSocketChannel> serverChannel() {
    return group.serverSocketChannelType();
  }

  /** Cores, transport and policy, as a person reads them. */
  String description() {
    return description;
  }

  /** What each core has done so far. */
  List<CoreTable.Row> rows() {
    return group.statistics().cores().stream().map(Loops::row).toList();
  }

  private static CoreTable.Row row(Statistics.PerCore core) {
    return new CoreTable.Row(
        core.core(), core.events(), core.colorsStolen(), Duration.ofNanos(core.stolenNanos()));
  }

  /** Stops the loops and waits for their threads to end. */
  @Override
  public void close() {
    group.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly(10, TimeUnit.SECONDS);
  }
}
