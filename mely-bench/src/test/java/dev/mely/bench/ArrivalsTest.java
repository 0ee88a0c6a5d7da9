package dev.mely.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class ArrivalsTest {
  private static final int COUNT = 100_000;

  private final SplittableRandom random = new SplittableRandom(7);
  private final long[] gaps =
      LongStream.generate(() -> Arrivals.gap(random, 1e6)).limit(COUNT).toArray();

  @Test
  void hasTheMeanThatWasAskedFor() {
    assertEquals(1e6, LongStream.of(gaps).average().orElseThrow(), 2e4);
  }

  /** As many gaps outlast any time as that time divided by the mean says: e to its negative. */
  @Test
  void isWithoutMemory() {
    for (int means = 1; means <= 3; means++) {
      long time = means * 1_000_000L;
      double share = LongStream.of(gaps).filter(g -> g > time).count() / (double) COUNT;
      assertEquals(Math.exp(-means), share, 0.01);
    }
  }
}
