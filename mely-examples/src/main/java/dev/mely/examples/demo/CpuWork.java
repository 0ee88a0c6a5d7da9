package dev.mely.examples.demo;

import java.util.concurrent.TimeUnit;

/**
 * Work that takes CPU time and touches no memory: a loop whose iterations depend on each other. A
 * thread that is interrupted by others does as much as one that is not. Immutable.
 */
final class CpuWork {
  private static final int WARM_UP = 2_000;
  private static final int RUNS = 500;
  private static final int RUN_ITERATIONS = 20_000;

  /** Keeps runs from being optimized away. */
  @SuppressWarnings("UnusedVariable") // write-only
  private static volatile long result;

  private final double perMicro;

  /** Work at a speed that {@link #measure} has returned, in this process or in another one. */
  CpuWork(double perMicro) {
    this.perMicro = perMicro;
    warmUp();
  }

  /**
   * Measures how many iterations take a microsecond: the fastest of many runs was not disturbed.
   */
  static double measure() {
    long t = warmUp();
    long best = Long.MAX_VALUE;
    for (int i = 0; i < RUNS; i++) {
      long start = System.nanoTime();
      t = spin(RUN_ITERATIONS, t);
      best = Math.min(best, System.nanoTime() - start);
    }
    result = t;
    return RUN_ITERATIONS / (double) best * TimeUnit.MICROSECONDS.toNanos(1);
  }

  /** Until the loop is compiled. */
  private static long warmUp() {
    long t = 1;
    for (int i = 0; i < WARM_UP; i++) {
      t = spin(RUN_ITERATIONS, t);
    }
    result = t;
    return t;
  }

  /**
   * Works.
   *
   * @param micros how much, in microseconds of one CPU
   * @param before what the last call has returned: two calls must not overlap in the CPU
   */
  long spend(int micros, long before) {
    return spin(Math.round(micros * perMicro), before);
  }

  private static long spin(long iterations, long before) {
    long t = before;
    for (long i = iterations; i > 0; i--) {
      t += (t * 0x5DEECE66DL + 0xBL + i) & 0xFFFFFFFFFFFFL;
    }
    return t;
  }
}
