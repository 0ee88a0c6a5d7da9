package dev.mely.netty;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A prior for the cost of new handlers of a kind: what the events of earlier ones have cost. So the
 * color of a new connection can be worth a steal before its first event has run; otherwise a
 * connection of one request never would be.
 *
 * <p>Thread-safe; a lost update costs one sample.
 */
final class CostPrior {
  private static final long OUTLIER_NANOS = 100_000;

  private volatile HandlerCosts declared = HandlerCosts.UNKNOWN;

  /** Exponentially weighted moving average, in nanoseconds; 0: nothing is known. */
  private volatile long cost;

  /** The costs that the pipeline of one of them declares. */
  void declare(HandlerCosts costs) {
    declared = costs;
  }

  HandlerCosts declared() {
    return declared;
  }

  /** An event of one of them took this long; 0: not known. */
  void note(long nanos) {
    if (nanos > 0) {
      long old = cost;
      cost = old == 0 ? nanos : old + (Math.min(nanos, bound(old)) - old) / 8;
    }
  }

  /**
   * Limits a sample, so that one event whose thread lost its CPU does not make all new handlers
   * expensive. {@link dev.mely.Handler} limits its samples alike.
   */
  private static long bound(long usual) {
    return Math.max(OUTLIER_NANOS, 8 * usual);
  }

  /** What an event of a new handler may cost; null: nothing is known. */
  @Nullable Duration estimate() {
    long nanos = cost;
    return nanos == 0 ? null : Duration.ofNanos(nanos);
  }
}
