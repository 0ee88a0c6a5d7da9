package dev.mely.netty.peers;

import java.util.Collection;

/**
 * How often a test has failed.
 *
 * @param bad runs that failed or hung
 * @param runs all of them
 */
record Rate(int bad, int runs) {
  /** Fewer are noise, on a machine that has other work to do. */
  private static final int LEAST = 2;

  private static final double SIGNIFICANCE = 0.05;

  /** Of one test. A run that did not end in time counts as one that failed. */
  static Rate of(String test, Collection<Result> results) {
    int bad = 0;
    int runs = 0;
    for (Result result : results) {
      if (result.test().equals(test)) {
        runs++;
        bad += result.outcome().isEmpty() || result.outcome().get().isBad() ? 1 : 0;
      }
    }
    return new Rate(bad, runs);
  }

  Rate plus(Rate other) {
    return new Rate(bad + other.bad, runs + other.runs);
  }

  /**
   * Whether a test is worse than on the stock group. One failure is noise. Where the stock group
   * fails, too, Fisher's exact test says how likely so many of all failures were here by chance.
   */
  boolean differsFrom(Rate stock) {
    return bad >= LEAST && (stock.bad == 0 || chance(stock) < SIGNIFICANCE);
  }

  /** The chance of as many failures here or more, if failures fell on any run alike. */
  private double chance(Rate stock) {
    int all = runs + stock.runs;
    int failures = bad + stock.bad;
    double chance = 0;
    for (int here = bad; here <= Math.min(runs, failures); here++) {
      chance += choose(failures, here) * choose(all - failures, runs - here) / choose(all, runs);
    }
    return chance;
  }

  private static double choose(int n, int k) {
    if (k < 0 || k > n) {
      return 0;
    }
    double ways = 1;
    for (int i = 0; i < k; i++) {
      ways = ways * (n - i) / (i + 1);
    }
    return ways;
  }

  @Override
  public String toString() {
    return (runs - bad) + " of " + runs;
  }
}
