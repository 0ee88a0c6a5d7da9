package dev.mely.netty.vertx;

import dev.mely.netty.MelyEventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.vertx.core.VertxOptions;
import java.util.concurrent.ThreadFactory;

/** Starts the group of a {@code Vertx}, which shuts it down when it closes. */
final class Loops {
  private static final System.Logger LOGGER = System.getLogger("dev.mely.netty");

  private Loops() {}

  /**
   * Starts a group, and says so in the log.
   *
   * @param threads what the options ask for. Nobody can tell Vert.x's default from the same number
   *     that a program has set: both mean the default of Mely's group
   * @param transport for the log
   */
  static MelyEventLoopGroup start(
      int threads, ThreadFactory factory, IoHandlerFactory io, String transport) {
    int cores = threads == VertxOptions.DEFAULT_EVENT_LOOP_POOL_SIZE ? 0 : threads;
    MelyEventLoopGroup group = new MelyEventLoopGroup(cores, factory, io);
    LOGGER.log(
        System.Logger.Level.INFO,
        "Mely serves the event loops of Vert.x with "
            + group.executorCount()
            + " threads ("
            + transport
            + "); -D"
            + VertxSupport.PROPERTY
            + "=false leaves them to Netty");
    return group;
  }
}
