package dev.mely.bench;

/**
 * Work that takes a known time and touches no memory: a busy loop, calibrated once per JVM.
 *
 * <p>The paper gives work in cycles of a 2.33 GHz machine. A cycle here is the same time, 0.43 ns,
 * on every machine, so 100 cycles are about 43 ns.
 */
public final class Work {
  /** Clock of the paper's machine (Mely, section V-A). */
  private static final double CYCLES_PER_NANO = 2.33;

  private static final int WARM_UP_CHUNKS = 2_000;
  private static final int CHUNKS = 500;
  private static final int CHUNK = 20_000;

  /** Keeps the calibration from being optimized away. */
  @SuppressWarnings("UnusedVariable") // write-only
  private static volatile long result;

  private static final double ITERATIONS_PER_NANO = calibrate();

  private Work() {}

  /**
   * Converts the paper's cycles.
   *
   * @param cycles of 2.33 GHz
   * @return nanoseconds
   */
  public static long nanos(int cycles) {
    return Math.round(cycles / CYCLES_PER_NANO);
  }

  /**
   * Returns how many iterations take a time.
   *
   * @param nanos the time, in nanoseconds
   * @return argument of {@link #spin}, 1 or more
   */
  public static int iterations(long nanos) {
    return (int) Math.max(1, Math.round(nanos * ITERATIONS_PER_NANO));
  }

  /**
   * Works. Each call depends on the result of the previous one on the same thread: out-of-order
   * execution would otherwise overlap two short ones, and 100 cycles would take 55.
   *
   * @param iterations from {@link #iterations}
   * @param before the result of the thread's previous call
   * @return the argument of the next call
   */
  public static long spin(int iterations, long before) {
    // Each iteration depends on the previous one, too.
    long t = before;
    for (int i = iterations; i > 0; i--) {
      t += (t * 0x5DEECE66DL + 0xBL + i) & 0xFFFFFFFFFFFFL;
    }
    return t;
  }

  /** The fastest of many runs: every disturbance makes a run slower. */
  private static double calibrate() {
    long t = 1;
    for (int i = 0; i < WARM_UP_CHUNKS; i++) {
      t = spin(CHUNK, t);
    }
    long best = Long.MAX_VALUE;
    for (int i = 0; i < CHUNKS; i++) {
      long start = System.nanoTime();
      t = spin(CHUNK, t);
      best = Math.min(best, System.nanoTime() - start);
    }
    result = t;
    return CHUNK / (double) best;
  }
}
