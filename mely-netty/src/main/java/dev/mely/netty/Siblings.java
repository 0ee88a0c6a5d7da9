package dev.mely.netty;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What is known of the work of those who came before: where the figures of a newcomer begin, so
 * that its color is worth a steal before its first event has run. Without it a connection of one
 * request would never be.
 *
 * <p>Thread-safe; a lost update costs one sample.
 */
final class Siblings {
  private static final long OUTLIER_NANOS = 100_000;

  private volatile HandlerCosts declared = HandlerCosts.UNKNOWN;

  /** Moving average in nanoseconds; 0: nothing is known. */
  private volatile long cost;

  /** The pipeline of one of them declares this. */
  void declare(HandlerCosts costs) {
    declared = costs;
  }

  HandlerCosts declared() {
    return declared;
  }

  /** An event of one of them took that long; 0: not known. */
  void note(long nanos) {
    if (nanos > 0) {
      long old = cost;
      cost = old == 0 ? nanos : old + (Math.min(nanos, bound(old)) - old) / 8;
    }
  }

  /**
   * One event in whose middle the thread lost its CPU must not make all newcomers expensive. {@link
   * dev.mely.Handler} bounds its samples alike, which is too little to be public for.
   */
  private static long bound(long usual) {
    return Math.max(OUTLIER_NANOS, 8 * usual);
  }

  /** What an event of a newcomer may cost; null: nothing is known. */
  @Nullable Duration estimate() {
    long nanos = cost;
    return nanos == 0 ? null : Duration.ofNanos(nanos);
  }
}
