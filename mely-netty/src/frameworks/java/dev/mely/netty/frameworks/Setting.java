package dev.mely.netty.frameworks;

import dev.mely.Migrating;
import dev.mely.netty.MelyEventLoopGroup;
import dev.mely.netty.MelyEventLoopGroupBuilder;
import java.util.List;
import java.util.stream.Stream;

/** The groups that every framework runs on. */
enum Setting {
  /** Stealing as it is by default. */
  NIO("nio", false),
  EPOLL("epoll", false),

  /** A core drawn at random at each activation of a color: nothing may rely on a thread. */
  NIO_MIGRATING("nio", true),
  EPOLL_MIGRATING("epoll", true);

  private static final long SEED = 17;
  private static final int MIGRATING_CORES = 3;

  private final String transport;
  private final boolean migrating;

  Setting(String transport, boolean migrating) {
    this.transport = transport;
    this.migrating = migrating;
  }

  /** A builder for such a group. */
  MelyEventLoopGroupBuilder builder() {
    MelyEventLoopGroupBuilder builder = MelyEventLoopGroup.builder().transport(transport);
    return migrating ? builder.cores(MIGRATING_CORES).runtime(Migrating.by(SEED)) : builder;
  }

  /** Those on epoll, or those on NIO. */
  static List<Setting> on(boolean epoll) {
    return Stream.of(values()).filter(setting -> setting.isEpoll() == epoll).toList();
  }

  boolean isEpoll() {
    return transport.equals("epoll");
  }

  /** Whether colors are sure to change threads. */
  boolean isMigrating() {
    return migrating;
  }
}
