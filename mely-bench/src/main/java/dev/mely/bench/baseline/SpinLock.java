package dev.mely.bench.baseline;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A core's lock: test, then test-and-set (Mely, section II-A: a core has one thread, and nothing
 * else to do than to wait). Measures the paper's locking time. Not reentrant.
 */
class SpinLock extends Padding {
  /** After this many spins, the holder has probably lost its CPU. */
  private static final int PATIENCE = 2_000;

  private static final VarHandle HELD = Padding.field(MethodHandles.lookup(), "held", long.class);

  @SuppressWarnings("UnusedVariable") // through its VarHandle
  private long held;

  // Written by the holder; read by any thread, possibly stale.
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

  /** How often the lock was taken. */
  long taken() {
    return taken;
  }

  /** Total waiting time, in nanoseconds. */
  long waitedNanos() {
    return waitedNanos;
  }
}
