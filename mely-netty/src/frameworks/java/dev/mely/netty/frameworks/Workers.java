package dev.mely.netty.frameworks;

import dev.mely.netty.MelyEventLoopGroup;
import io.netty.util.concurrent.SingleThreadEventExecutor;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/** The worker threads of a group that a framework has made. */
public final class Workers {
  private Workers() {}

  /** Those that run now. */
  public static Set<Thread> of(MelyEventLoopGroup group) {
    Set<Long> ids =
        StreamSupport.stream(group.spliterator(), false)
            .map(loop -> ((SingleThreadEventExecutor) loop).threadProperties().id())
            .collect(Collectors.toSet());
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> ids.contains(thread.getId()))
        .collect(Collectors.toSet());
  }
}
