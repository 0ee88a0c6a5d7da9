package dev.mely.bench.baseline;

/** What the cores of both baselines have in common. */
abstract class Core extends CorePadding {
  // Counters: written by the core's own worker alone, read by anybody.
  long steals;
  long stolenNanos;
  long stealNanos;
  long parks;

  /** How often the worker has looked in vain. */
  int idle;

  Core(int index, SpinLock lock) {
    super(index, lock);
  }
}
