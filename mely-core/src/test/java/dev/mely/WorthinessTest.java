package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Which colors are worth stealing (requirement B5). */
class WorthinessTest {
  private static final long STEAL = Worthiness.INITIAL_STEAL_NANOS;

  private final Worthiness worthiness = new Worthiness(true);

  @Test
  void colorIsWorthyIfItHoldsMoreWorkThanTheStealCosts() {
    assertFalse(worthiness.isWorthy(0));
    assertFalse(worthiness.isWorthy(STEAL));
    assertTrue(worthiness.isWorthy(STEAL + 1));
  }

  @Test
  void everyColorIsWorthyWithoutTheHeuristic() {
    Worthiness off = new Worthiness(false);
    assertTrue(off.isWorthy(0));
    assertTrue(off.isWorthy(-1));
  }

  @Test
  void intervalsBeginAtOneFourAndSixteenSteals() {
    assertEquals(0, worthiness.interval(0));
    assertEquals(0, worthiness.interval(STEAL));
    assertEquals(0, worthiness.interval(4 * STEAL - 1));
    assertEquals(1, worthiness.interval(4 * STEAL));
    assertEquals(1, worthiness.interval(16 * STEAL - 1));
    assertEquals(2, worthiness.interval(16 * STEAL));
    assertEquals(2, worthiness.interval(Long.MAX_VALUE));
    assertEquals(0, worthiness.interval(-STEAL));
  }

  @Test
  void averageGivesANewSampleAnEighth() {
    assertEquals(2_000, worthiness.observeSteal(1_000, 9_000));
    assertEquals(7_000, worthiness.observeSteal(7_500, 3_500));
  }

  @Test
  void samplesAreClamped() {
    assertEquals(worthiness.observeSteal(1_000, 20_000), worthiness.observeSteal(1_000, 1L << 60));
    assertEquals(
        worthiness.observeSteal(1_000, -20_000), worthiness.observeSteal(1_000, -(1L << 60)));
  }

  /** Stolen events may be faster than expected, but a steal is never free. */
  @Test
  void averageMayBeNegativeButNotTheCost() {
    assertEquals(-1_500, worthiness.observeSteal(1_000, -19_000));
    assertEquals(Worthiness.MIN_STEAL_NANOS, worthiness.stealNanos());
  }

  /** Every producer reads the figure: what hardly changes it is not written. */
  @Test
  void smallChangesAreNotPublished() {
    assertEquals(1_125, worthiness.observeSteal(1_125, 1_125));
    assertEquals(STEAL, worthiness.stealNanos());
    assertEquals(1_126, worthiness.observeSteal(1_126, 1_126));
    assertEquals(1_126, worthiness.stealNanos());
    worthiness.observeSteal(900, 900);
    assertEquals(900, worthiness.stealNanos());
  }

  /** The figure falls as well as it rises: one slow phase does not switch stealing off for good. */
  @Test
  void publishedCostFollowsTheSamplesBothWays() {
    long average = afterSteals(worthiness, Long.MAX_VALUE);
    assertTrue(worthiness.stealNanos() > Worthiness.MAX_STEAL_NANOS * 7 / 8);
    assertTrue(worthiness.stealNanos() <= Worthiness.MAX_STEAL_NANOS);
    for (int i = 0; i < 200; i++) {
      average = worthiness.observeSteal(average, 0);
    }
    assertTrue(worthiness.stealNanos() < Worthiness.MIN_STEAL_NANOS * 5 / 4);
    assertTrue(worthiness.stealNanos() >= Worthiness.MIN_STEAL_NANOS);
  }

  @Test
  void costThatIsTooHighWearsOffDownToWhereItBegan() {
    Worthiness worthiness = new Worthiness(true);
    long average = afterSteals(worthiness, 20_000);
    assertFalse(worthiness.isWorthy(15_000));
    long before = worthiness.stealNanos();
    average = worthiness.forget(average, 0);
    assertEquals(before, worthiness.stealNanos());
    average = worthiness.forget(average, 1);
    assertTrue(worthiness.stealNanos() < before);
    assertTrue(worthiness.stealNanos() > before * 9 / 10, "not at once");
    average = worthiness.forget(average, 16);
    assertTrue(worthiness.isWorthy(15_000));
    average = worthiness.forget(average, Long.MAX_VALUE);
    assertEquals(STEAL, average);
    assertEquals(STEAL, worthiness.stealNanos());
  }

  @Test
  void costThatIsLowIsNotForgotten() {
    Worthiness worthiness = new Worthiness(true);
    long average = afterSteals(worthiness, 600);
    long known = worthiness.stealNanos();
    assertTrue(known < 800);
    assertEquals(average, worthiness.forget(average, 100));
    assertEquals(known, worthiness.stealNanos());
  }

  @Test
  void whatAnotherThiefHasPublishedWearsOffToo() {
    Worthiness worthiness = new Worthiness(true);
    worthiness.observeSteal(20_000, 20_000);
    assertEquals(-500, worthiness.forget(-500, 100));
    assertEquals(STEAL, worthiness.stealNanos());
  }

  /** The average after a hundred steals at the same price. */
  private static long afterSteals(Worthiness worthiness, long nanos) {
    long average = STEAL;
    for (int i = 0; i < 100; i++) {
      average = worthiness.observeSteal(average, nanos);
    }
    return average;
  }
}
