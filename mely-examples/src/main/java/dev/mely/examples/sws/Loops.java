package dev.mely.examples.sws;

import dev.mely.examples.service.CoreTable;
import dev.mely.netty.MelyEventLoopGroup;
import dev.mely.netty.StingyAllocator;
import dev.mely.stage.StageGraph;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The event loops that run the server: its own, which are Mely's and give each accepted connection
 * a color of its own, or those that the caller lends.
 *
 * @param group the loops
 * @param serverChannel the matching type of listener
 * @param allocator of the connections; null: the loops' or Netty's default
 * @param description for messages
 * @param lent whether the caller stops them
 */
record Loops(
    EventLoopGroup group,
    Class<? extends ServerSocketChannel> serverChannel,
    @Nullable ByteBufAllocator allocator,
    String description,
    boolean lent)
    implements AutoCloseable {
  /** How long {@link #close} takes at most. */
  static final long CLOSE_MILLIS = 10_000;

  /**
   * Starts the loops.
   *
   * @param config its cores, transport, policy and working set count
   * @param recordsStages whether stages are recorded, and which buffers they allocate
   * @throws IllegalArgumentException if the transport is not available here; the message says why
   */
  static Loops open(SwsConfig config, boolean recordsStages) {
    config.check();
    MelyEventLoopGroup group =
        MelyEventLoopGroup.builder()
            .cores(config.cores())
            .transport(config.transport().toString())
            .policy(config.policy())
            .workingSet(config.workingSet())
            .runtime(mely -> mely.recordStages(recordsStages))
            .threadFactory(new DefaultThreadFactory("sws-core"))
            .build();
    boolean nio = group.serverSocketChannelType() == NioServerSocketChannel.class;
    // The working set's allocator records its buffers itself; Netty's does not.
    boolean tells = recordsStages && config.workingSet() == 0;
    return new Loops(
        group,
        group.serverSocketChannelType(),
        tells ? new StingyAllocator() : null,
        WebServer.runsOn(config, (nio ? Transport.NIO : Transport.EPOLL).toString()),
        false);
  }

  /** Takes loops that the caller starts and stops. */
  static Loops lent(
      EventLoopGroup group,
      Class<? extends ServerSocketChannel> serverChannel,
      @Nullable ByteBufAllocator allocator) {
    String description = group.getClass().getSimpleName() + ", " + serverChannel.getSimpleName();
    return new Loops(group, serverChannel, allocator, description, true);
  }

  /** What each core has done so far; empty for lent loops without statistics. */
  List<CoreTable.Row> rows() {
    return group instanceof MelyEventLoopGroup mely ? CoreTable.rows(mely.statistics()) : List.of();
  }

  /**
   * The recorded stages.
   *
   * @throws IllegalStateException if none are recorded
   */
  StageGraph stages() {
    if (group instanceof MelyEventLoopGroup mely) {
      return mely.mely().inspect().stages();
    }
    throw new IllegalStateException("lent loops record no stages");
  }

  /** Stops the loops and waits for their threads to end; leaves lent ones alone. */
  @Override
  public void close() {
    if (!lent) {
      group.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly(CLOSE_MILLIS);
    }
  }
}
