package dev.mely;

/**
 * The seam between the scheduler and the world: time, randomness, threads, and what a worker waits
 * on. Production uses {@link SystemHost}; the deterministic driver of the tests stands in for it,
 * so that the very classes of this package run under virtual time and a seeded order. No other
 * class of this package reads the clock, parks a thread or draws a random number.
 */
interface Host {
  /** A clock for durations, in nanoseconds. */
  long nanos();

  /** A random number from 0 to bound - 1. Any thread. */
  int random(int bound);

  /** Whether the caller is the worker of that core. */
  boolean isCurrent(Core core);

  /** Whether the worker of that core waits: for a lock, for time to pass, for another thread. */
  boolean isWaiting(Core core);

  /** Makes the calling worker wait for a moment, where it would spin otherwise. */
  void pause(long nanos);

  /** What a worker without I/O waits on. */
  Poller newPoller(int core);

  /** Makes the thread of a worker; it is not started. */
  Thread newThread(Worker worker, int core);
}
