package dev.mely.bench.baseline;

/**
 * What a contestant has done so far, in all. Zero where it does not tell.
 *
 * @param steals colors, or tasks, stolen
 * @param stolenNanos work that the steals won
 * @param stealNanos what the steals cost
 * @param takeovers steals from a worker that was stuck in a handler, of any color
 * @param parks times a worker went to sleep
 * @param wakeups times a worker was called to steal
 * @param locks times a core's lock was taken
 * @param lockNanos time spent in waiting for those locks
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
  /** Of somebody who tells of allocations alone. */
  static Figures ofBytes(long bytes) {
    return new Figures(0, 0, 0, 0, 0, 0, 0, 0, bytes);
  }
}
