package dev.mely.bench.baseline;

import org.jspecify.annotations.Nullable;

/**
 * A core of either baseline.
 *
 * @param <U> unit of stealing
 */
abstract class Core<U> extends CorePadding {
  // Counters: written by the core's own worker only, read by any thread.
  long steals;
  long stolenNanos;
  long stealNanos;
  long parks;

  /** The unit stolen last, while it is being run; and since when. Only the core's own worker. */
  @Nullable U stolen;

  long stolenSince;

  /** Number of failed searches in a row. */
  int idle;

  Core(int index, SpinLock lock) {
    super(index, lock);
  }
}
