package dev.mely;

/**
 * What one worker counts. Plain fields, written by the worker alone; a reader sees recent values.
 */
final class Counters extends PadBefore {
  long events;
  long errors;
  long batches;
  long stealsTried;
  long stealsWon;
  long stolenNanos;
  long stealNanos;
  long takeovers;
  long polls;
  long parks;
  long wakeups;
  long passedOver;
  long regardless;

  /** By victim: how many of the {@link #stealsWon} were won there. */
  final long[] stolenFrom;

  /**
   * Time spent waiting, in one word, so that a reader never sees half of a change: the sum so far,
   * doubled; or, while the worker waits, the sum less the time at which it began, doubled, plus
   * one.
   */
  private long parked;

  /** When the worker began to wait, the last time. */
  private long parkedAt;

  /**
   * @param cores of the runtime
   */
  Counters(int cores) {
    stolenFrom = new long[cores];
  }

  /** The worker begins to wait. */
  void park(long now) {
    parkedAt = now;
    parked = (parkedNanos(now) - now) << 1 | 1;
  }

  /** The worker is back. No effect if it did not wait. */
  void unpark(long now) {
    parked = parkedNanos(now) << 1;
  }

  /** Time spent waiting up to now, in nanoseconds. Any thread. */
  long parkedNanos(long now) {
    long word = parked;
    return (word & 1) == 0 ? word >> 1 : (word >> 1) + now;
  }

  long parkedAt() {
    return parkedAt;
  }
}
