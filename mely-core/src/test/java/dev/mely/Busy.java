package dev.mely;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A handler that computes. One that waits counts as stuck at once, whatever {@code stuckAfter}
 * says, and idle cores look through its core's colors.
 */
final class Busy {
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(120);

  private Busy() {}

  /** Computes until the latch is open, for two minutes at most. */
  static void until(CountDownLatch latch) {
    long start = System.nanoTime();
    while (latch.getCount() > 0 && System.nanoTime() - start < PATIENCE_NANOS) {
      Thread.onSpinWait();
    }
  }
}
