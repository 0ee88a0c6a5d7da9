package dev.mely.bench;

import java.util.random.RandomGenerator;

/** Independent random arrivals: a Poisson process. */
public final class Arrivals {
  private Arrivals() {}

  /**
   * Draws the exponentially distributed time between two arrivals.
   *
   * @param random source
   * @param mean mean gap, nanoseconds
   * @return nanoseconds, 0 or more
   */
  public static long gap(RandomGenerator random, double mean) {
    return (long) (-Math.log(1 - random.nextDouble()) * mean);
  }
}
