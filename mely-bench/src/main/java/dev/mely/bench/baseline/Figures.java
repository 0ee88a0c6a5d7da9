package dev.mely.bench.baseline;

/**
 * A contestant's totals so far. Zero for figures that it does not report.
 *
 * @param steals colors, or tasks, stolen
 * @param stolenNanos processing time of stolen work
 * @param stealNanos cost of the steals
 * @param takeovers steals from a worker that was stuck in a handler
 * @param parks times a worker parked
 * @param wakeups times a worker was woken to steal
 * @param locks times a core's lock was taken
 * @param lockNanos time spent waiting for these locks
 * @param bytes allocated by the workers
 */
public record Figures(
    long steals,
    long stolenNanos,
    long stealNanos,
    long takeovers,
    long parks,
    long wakeups,
    long locks,
    long lockNanos,
    long bytes) {
  /** The figures of a contestant that reports only allocations. */
  static Figures ofBytes(long bytes) {
    return new Figures(0, 0, 0, 0, 0, 0, 0, 0, bytes);
  }
}
