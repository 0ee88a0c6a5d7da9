package dev.mely.bench.baseline;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A core's lock: test, then test-and-set (Mely, section II-A: a core has one thread, and nothing
 * else to do than to wait). Counts what the paper calls locking time. Not reentrant.
 */
class SpinLock extends Padding {
  /** After so many looks the holder has probably lost its CPU. */
  private static final int PATIENCE = 2_000;

  private static final VarHandle HELD = Padding.field(MethodHandles.lookup(), "held", long.class);

  @SuppressWarnings("UnusedVariable") // through its VarHandle
  private long held;

  // Written by the holder; read by anybody, as recent as it happens to be.
  private long taken;
  private long waitedNanos;

  void lock() {
    if (!HELD.compareAndSet(this, 0L, 1L)) {
      long start = System.nanoTime();
      await();
      waitedNanos += System.nanoTime() - start;
    }
    taken++;
  }

  @SuppressWarnings("ThreadPriorityCheck") // yield: see PATIENCE
  private void await() {
    int looks = 0;
    while ((long) HELD.getOpaque(this) != 0 || !HELD.weakCompareAndSetAcquire(this, 0L, 1L)) {
      Thread.onSpinWait();
      if (++looks % PATIENCE == 0) {
        Thread.yield();
      }
    }
  }

  void unlock() {
    HELD.setRelease(this, 0L);
  }

  /** How often it was taken. */
  long taken() {
    return taken;
  }

  /** How long threads have waited for it, in nanoseconds. */
  long waitedNanos() {
    return waitedNanos;
  }
}
