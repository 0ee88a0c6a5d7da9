package dev.mely;

import dev.mely.spi.Poller;
import org.jspecify.annotations.Nullable;

/**
 * The seam between the scheduler and the world: time, randomness, threads, and what a worker waits
 * on. Production uses {@link SystemHost}; the deterministic driver of the tests stands in for it,
 * so that the very classes of this package run under virtual time and a seeded order. No other
 * class of this package reads the clock, parks a thread or draws a random number. It knows cores by
 * their numbers alone.
 */
interface Host {
  /** A clock for durations, in nanoseconds. */
  long nanos();

  /** A random number from 0 to bound - 1. Any thread. */
  int random(int bound);

  /** How many cores there are: they are numbered from 0. */
  int cores();

  /** Whether the caller is the worker of that core. */
  boolean isCurrent(int core);

  /** The thread of that core's worker; null before it has been made, or if there are no threads. */
  @Nullable Thread thread(int core);

  /** Whether the worker of that core waits: for a lock, for time to pass, for another thread. */
  boolean isWaiting(int core);

  /** Makes the calling worker wait for a moment, where it would spin otherwise. */
  void pause(long nanos);

  /** Lets another thread have the calling worker's CPU, if one waits for it. */
  void giveWay();

  /** Makes what a worker without I/O waits on. */
  Poller newPoller(int core);

  /** Makes what the calling thread, which is no worker, waits on. */
  Parker newParker();

  /** Makes the thread of a core's worker; it is not started. */
  Thread newThread(Runnable worker, int core);

  /**
   * Checks the number of a core.
   *
   * @return the number
   * @throws IllegalArgumentException if there is no such core
   */
  default int check(int core) {
    if (core < 0 || core >= cores()) {
      throw new IllegalArgumentException(
          "no core " + core + ": there are " + cores() + ", numbered from 0");
    }
    return core;
  }

  /** One thread waits here until another one wakes it. */
  interface Parker {
    /** Waits for a wake-up; one that has come since the last wait ends this one at once. */
    void park() throws InterruptedException;

    /** Any thread. */
    void unpark();
  }
}
