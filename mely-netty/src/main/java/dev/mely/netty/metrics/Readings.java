package dev.mely.netty.metrics;

import dev.mely.netty.MelyEventLoopGroup;
import dev.mely.report.Statistics;
import dev.mely.report.Statistics.PerCore;
import java.util.function.ToDoubleFunction;

/**
 * The last two snapshots of a group's statistics, so that a registry that reads all meters at once
 * costs one. It does not hold the group: meters hold it strongly, and the group weakly.
 * Thread-safe.
 */
final class Readings {
  /** How long a snapshot is used. */
  private static final long FRESH_NANOS = 100_000_000;

  // Guarded by this.
  private Statistics before;
  private long beforeAt;
  private Statistics last;
  private long lastAt;

  Readings(MelyEventLoopGroup group) {
    last = group.statistics();
    lastAt = System.nanoTime();
    before = last;
    beforeAt = lastAt;
  }

  private synchronized PerCore of(MelyEventLoopGroup group, int core) {
    refresh(group);
    return last.cores().get(core);
  }

  /** Share of the time between the snapshots in which the core's worker was not parked: 0 to 1. */
  ToDoubleFunction<MelyEventLoopGroup> busy(int core) {
    return group -> busy(group, core);
  }

  private synchronized double busy(MelyEventLoopGroup group, int core) {
    refresh(group);
    long time = lastAt - beforeAt;
    long parked = last.cores().get(core).parkedNanos() - before.cores().get(core).parkedNanos();
    return time <= 0 ? 0 : Math.min(1, Math.max(0, 1 - (double) parked / time));
  }

  /** A function for a meter: it holds this, and no group. */
  ToDoubleFunction<MelyEventLoopGroup> each(int core, ToDoubleFunction<PerCore> value) {
    return group -> value.applyAsDouble(of(group, core));
  }

  private void refresh(MelyEventLoopGroup group) {
    long now = System.nanoTime();
    if (now - lastAt >= FRESH_NANOS) {
      before = last;
      beforeAt = lastAt;
      last = group.statistics();
      lastAt = now;
    }
  }
}
