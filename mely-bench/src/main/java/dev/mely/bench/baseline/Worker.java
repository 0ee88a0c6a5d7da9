package dev.mely.bench.baseline;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * State of a worker for its jobs, without false sharing: a count and the last result.
 *
 * <p>Each worker has its own, except for virtual threads, of which there are too many: they share a
 * few.
 */
public final class Worker extends Padding {
  private static final VarHandle COUNT = Padding.field(MethodHandles.lookup(), "count", long.class);

  /** Result of the last job's work on this worker, see {@link dev.mely.bench.Work#spin}. */
  public long result;

  @SuppressWarnings("UnusedVariable") // through its VarHandle
  private long count;

  private final boolean shared;

  /**
   * @param shared whether several threads may use it at once
   */
  Worker(boolean shared) {
    this.shared = shared;
  }

  /** Counts a job that has run. */
  public void count() {
    if (shared) {
      COUNT.getAndAdd(this, 1L);
    } else {
      // Release: a reader of the count also sees the job's effects.
      COUNT.setRelease(this, (long) COUNT.get(this) + 1);
    }
  }

  /** How many jobs have been counted. Any thread. */
  long counted() {
    return (long) COUNT.getAcquire(this);
  }
}
