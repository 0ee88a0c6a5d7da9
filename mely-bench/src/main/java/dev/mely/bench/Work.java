package dev.mely.bench;

/**
 * Work that takes a known time and touches no memory: a busy loop, calibrated once per JVM.
 *
 * <p>The paper gives its work in cycles of a machine of 2.33 GHz. A cycle here is the same length
 * of time, 0.43 ns, whatever this machine's clock, so that 100 cycles are about 43 ns.
 */
public final class Work {
  /** Clock of the paper's machine (Mely, section V-A). */
  private static final double CYCLES_PER_NANO = 2.33;

  private static final int WARM_UP_CHUNKS = 2_000;
  private static final int CHUNKS = 500;
  private static final int CHUNK = 20_000;

  /** Keeps the calibration from being optimized away. */
  @SuppressWarnings("UnusedVariable") // only ever written
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
   * Tells how often to go round for a length of time.
   *
   * @param nanos the time, in nanoseconds
   * @return what to give to {@link #spin}, 1 or more
   */
  public static int iterations(long nanos) {
    return (int) Math.max(1, Math.round(nanos * ITERATIONS_PER_NANO));
  }

  /**
   * Works. Each piece of work needs the result of the one before on the same thread: a processor
   * that looks ahead would otherwise do two short ones at a time, and 100 cycles would be 55.
   *
   * @param iterations how long, from {@link #iterations}
   * @param before what the thread's last piece of work returned
   * @return what to give to the next
   */
  public static long spin(int iterations, long before) {
    // Each round needs the result of the one before it, too.
    long t = before;
    for (int i = iterations; i > 0; i--) {
      t += (t * 0x5DEECE66DL + 0xBL + i) & 0xFFFFFFFFFFFFL;
    }
    return t;
  }

  /** The fastest of many chunks: whatever disturbs a measurement makes it slower. */
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
