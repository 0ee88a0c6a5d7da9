package dev.mely.bench.baseline;

import org.jspecify.annotations.Nullable;

/**
 * What the cores of both baselines have in common.
 *
 * @param <U> what a thief takes
 */
abstract class Core<U> extends CorePadding {
  // Counters: written by the core's own worker alone, read by anybody.
  long steals;
  long stolenNanos;
  long stealNanos;
  long parks;

  /** Stolen last, and still being run since; when that began. Only the core's own worker. */
  @Nullable U stolen;

  long stolenSince;

  /** How often the worker has looked in vain. */
  int idle;

  Core(int index, SpinLock lock) {
    super(index, lock);
  }
}
