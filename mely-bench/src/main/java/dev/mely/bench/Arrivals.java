package dev.mely.bench;

import java.util.random.RandomGenerator;

/** Arrivals at random that know nothing of each other: a Poisson process. */
public final class Arrivals {
  private Arrivals() {}

  /**
   * Draws the time from one arrival to the next, which is distributed exponentially.
   *
   * @param random where from
   * @param mean the gaps' mean, nanoseconds
   * @return nanoseconds, 0 or more
   */
  public static long gap(RandomGenerator random, double mean) {
    return (long) (-Math.log(1 - random.nextDouble()) * mean);
  }
}
