package dev.mely;

/**
 * Decides whether a color is worth stealing: the time-left heuristic, pure apart from the moving
 * average of what a steal costs (Mely, sections III-B and IV-B (b)).
 *
 * <p>The interval bounds are [1, 4), [4, 16) and 16 or more times the cost of a steal.
 */
final class Worthiness {
  /** Assumed before the first steal, in nanoseconds. */
  static final long INITIAL_STEAL_NANOS = 1_000;

  /** Never below this: what the clock cannot see is not free. */
  static final long MIN_STEAL_NANOS = 500;

  /** Never above this, so that one preempted thief does not switch stealing off. */
  static final long MAX_STEAL_NANOS = 20_000;

  private final boolean timeLeft;

  /** Read by every producer, written by thieves, seldom. Races are benign: it is an estimate. */
  private long stealNanos = INITIAL_STEAL_NANOS;

  /**
   * @param timeLeft whether a color must be worthy; if not, every color is
   */
  Worthiness(boolean timeLeft) {
    this.timeLeft = timeLeft;
  }

  /** Whether this much pending work, in nanoseconds, exceeds the cost of stealing it. */
  boolean isWorthy(long timeLeftNanos) {
    return !timeLeft || timeLeftNanos > stealNanos;
  }

  /** The interval of the stealing-queue: 0, 1 or 2. */
  int interval(long timeLeftNanos) {
    long times = timeLeftNanos / stealNanos;
    return times < 4 ? 0 : times < 16 ? 1 : 2;
  }

  /**
   * Takes one steal into a thief's own moving average of what its steals cost.
   *
   * @param average the average before
   * @param nanos what the search cost, plus how much longer the stolen events took than they were
   *     expected to: the price of dragging their data along. Negative where they were faster
   * @return the average after this sample, in nanoseconds
   */
  long observeSteal(long average, long nanos) {
    long sample = Math.min(Math.max(nanos, -MAX_STEAL_NANOS), MAX_STEAL_NANOS);
    long now = average + (sample - average) / 8;
    long cost = Math.max(now, MIN_STEAL_NANOS);
    // Every producer reads the published figure: leave its cache line alone if little has changed.
    if (Math.abs(cost - stealNanos) > stealNanos >> 3) {
      stealNanos = cost;
    }
    return now;
  }

  /**
   * A thief has had nothing to steal for a while. A cost that is too high keeps thieves away, and
   * would for ever, since only a steal corrects it: so it wears off, down to what is assumed before
   * the first. The first steals of a process run code that is not compiled yet, and look expensive.
   *
   * @param average the thief's own average before
   * @param times how often it loses a sixteenth
   * @return the average after that
   */
  long forget(long average, long times) {
    long published = stealNanos;
    long now = average;
    for (long i = 0; i < times && Math.max(now, published) > INITIAL_STEAL_NANOS; i++) {
      now = wornOff(now);
      published = wornOff(published);
    }
    if (published != stealNanos) {
      stealNanos = published;
    }
    return now;
  }

  private static long wornOff(long nanos) {
    return nanos <= INITIAL_STEAL_NANOS
        ? nanos
        : Math.max(INITIAL_STEAL_NANOS, nanos - (nanos >> 4));
  }

  /** The current cost of a steal, in nanoseconds. */
  long stealNanos() {
    return stealNanos;
  }
}
