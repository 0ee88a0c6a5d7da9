package dev.mely.bench.baseline;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * What jobs may use without getting into another worker's way: a count and the last result.
 *
 * <p>A worker's own, except where threads are without number (virtual ones): there, jobs share a
 * few.
 */
public final class Worker extends Padding {
  private static final VarHandle COUNT = Padding.field(MethodHandles.lookup(), "count", long.class);

  /** What the last job's work on this worker came to, see {@link dev.mely.bench.Work#spin}. */
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

  /** One more job has run. */
  public void count() {
    if (shared) {
      COUNT.getAndAdd(this, 1L);
    } else {
      // Release: who sees the count also sees what the job did.
      COUNT.setRelease(this, (long) COUNT.get(this) + 1);
    }
  }

  /** How many jobs have been counted. Any thread. */
  long counted() {
    return (long) COUNT.getAcquire(this);
  }
}
