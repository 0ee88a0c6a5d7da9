package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** What a steal costs, which colors are worth one, and how much must wait (requirement B5). */
class StealPriceTest {
  private static final long STEAL = StealPrice.INITIAL_NANOS;
  private static final long USUAL = 1_000;
  private static final long WATCH = 4_000_000;
  private static final int LEAST = StealPrice.MIN_BACKLOG;

  private final StillMely still = new StillMely(2, StealPolicy.ALL);
  private final StealPrice price = new StealPrice(true, WATCH);
  private final Steal steal = new Steal();

  // ---- Worthy

  @Test
  void colorIsWorthyIfItHoldsMoreWorkThanTheStealCosts() {
    assertFalse(price.isWorthy(0));
    assertFalse(price.isWorthy(STEAL));
    assertTrue(price.isWorthy(STEAL + 1));
  }

  @Test
  void everyColorIsWorthyWithoutTheHeuristic() {
    StealPrice off = new StealPrice(false, WATCH);
    assertTrue(off.isWorthy(0));
    assertTrue(off.isWorthy(-1));
  }

  @Test
  void intervalsBeginAtOneFourAndSixteenSteals() {
    assertEquals(0, price.interval(0));
    assertEquals(0, price.interval(STEAL));
    assertEquals(0, price.interval(4 * STEAL - 1));
    assertEquals(1, price.interval(4 * STEAL));
    assertEquals(1, price.interval(16 * STEAL - 1));
    assertEquals(2, price.interval(16 * STEAL));
    assertEquals(2, price.interval(Long.MAX_VALUE));
    assertEquals(0, price.interval(-STEAL));
  }

  // ---- The cost

  @Test
  void averageGivesANewSampleAnEighth() {
    price.observe(9_000);
    assertEquals(2_000, price.stealNanos());
    price.observe(10_000);
    assertEquals(3_000, price.stealNanos());
  }

  @Test
  void samplesAreBounded() {
    price.observe(1L << 60);
    assertEquals(STEAL + (StealPrice.MAX_NANOS - STEAL) / 8, price.stealNanos());
    for (int i = 0; i < 100; i++) {
      price.observe(Long.MAX_VALUE);
    }
    assertTrue(price.stealNanos() <= StealPrice.MAX_NANOS);
  }

  /** Stolen events may be faster than expected, but a steal is never free. */
  @Test
  void averageMayBeNegativeButNotTheCost() {
    price.observe(-(1L << 60));
    assertEquals(StealPrice.MIN_NANOS, price.stealNanos());
    price.observe(STEAL); // from an average of about -1,600
    assertEquals(StealPrice.MIN_NANOS, price.stealNanos());
  }

  /** Every producer reads the figure: what hardly changes it is not written. */
  @Test
  void smallChangesAreNotPublished() {
    price.observe(STEAL + 8 * 125);
    assertEquals(STEAL, price.stealNanos());
    price.observe(STEAL + 125 + 8); // the average is one more now
    assertEquals(STEAL + 126, price.stealNanos());
  }

  /** The figure falls as well as it rises: one slow phase does not switch stealing off for good. */
  @Test
  void costFollowsTheStealsBothWays() {
    observe(100, Long.MAX_VALUE);
    assertTrue(price.stealNanos() > StealPrice.MAX_NANOS * 7 / 8);
    observe(200, 0);
    assertTrue(price.stealNanos() < StealPrice.MIN_NANOS * 5 / 4);
    assertTrue(price.stealNanos() >= StealPrice.MIN_NANOS);
  }

  @Test
  void costThatIsTooHighDecaysDownToWhereItBegan() {
    observe(100, 20_000);
    price.decay(WATCH);
    long before = price.stealNanos();
    assertFalse(price.isWorthy(15_000), "there was a steal meanwhile");
    price.decay(2 * WATCH - 1);
    assertEquals(before, price.stealNanos(), "too early");
    price.decay(2 * WATCH);
    assertTrue(price.stealNanos() < before);
    assertTrue(price.stealNanos() > before * 9 / 10, "not at once");
    price.decay(18 * WATCH);
    assertTrue(price.isWorthy(15_000));
    price.decay(Long.MAX_VALUE);
    assertEquals(STEAL, price.stealNanos());
    price.observe(STEAL);
    assertEquals(STEAL, price.stealNanos(), "so has the average behind it");
  }

  @Test
  void costThatIsLowDoesNotDecay() {
    observe(100, 600);
    long known = price.stealNanos();
    assertTrue(known < 800);
    price.decay(100 * WATCH);
    price.decay(200 * WATCH);
    assertEquals(known, price.stealNanos());
  }

  private void observe(int times, long nanos) {
    for (int i = 0; i < times; i++) {
      price.observe(nanos);
    }
  }

  // ---- What a steal teaches

  /** The search, and how much longer the events took than usual. */
  @Test
  void dragCountsAsCost() {
    settle(Steal.Mode.WORTHY, 0, 1_000, 3_000 + 9_000 - 1_000, 3_000);
    assertEquals(2_000, price.stealNanos());
  }

  @Test
  void whereTheUsualTimeIsUnknownTheSearchCounts() {
    settle(Steal.Mode.WORTHY, 0, 9_000, 1_000_000, 0);
    assertEquals(2_000, price.stealNanos());
  }

  /** The worthy are not charged for what a steal from a backlog turned out to cost. */
  @Test
  void stealFromABacklogOnlyLowersTheCost() {
    settle(Steal.Mode.BACKLOG, 10, 9_000, USUAL, USUAL);
    assertEquals(STEAL, price.stealNanos());
    settle(Steal.Mode.BACKLOG, 10, -10_000, USUAL, USUAL);
    assertTrue(price.stealNanos() < STEAL);
  }

  // ---- Backlog

  @Test
  void fewAreNeverEnough() {
    assertFalse(price.isLong(LEAST - 1));
    assertTrue(price.isLong(LEAST));
  }

  @Test
  void stealThatTakesLongerThanHalfOfTheWaitProvesNothing() {
    assertTrue(fromBacklog(10, 5 * USUAL, USUAL));
    assertTrue(price.isLong(LEAST));
    assertFalse(fromBacklog(10, 5 * USUAL + 1, USUAL));
    assertFalse(price.isLong(2 * LEAST - 1));
    assertTrue(price.isLong(2 * LEAST));
  }

  /** However many wait: taking one costs its own core as much as running it. */
  @Test
  void shortEventsProveNothing() {
    assertFalse(fromBacklog(50_000, 100, StealPrice.MIN_NANOS - 1));
    assertTrue(fromBacklog(50_000, 100, StealPrice.MIN_NANOS));
  }

  /** Half as many are left for the next thief. */
  @Test
  void proofIsNoReasonToCallWhereTooFewAreLeft() {
    assertFalse(fromBacklog(2 * LEAST - 1, USUAL, USUAL));
    assertTrue(fromBacklog(2 * LEAST, USUAL, USUAL));
  }

  @Test
  void otherStealsProveNothingEitherWay() {
    assertFalse(settle(Steal.Mode.WORTHY, 0, 100, USUAL, USUAL));
    assertFalse(settle(Steal.Mode.STUCK, 0, 100, 100 * USUAL, USUAL));
    assertTrue(price.isLong(LEAST));
  }

  @Test
  void backlogThatProvesItselfIsTrustedAgain() {
    for (int i = 0; i < 3; i++) {
      price.doubleBacklog();
    }
    assertFalse(price.isLong(8 * LEAST - 1));
    fromBacklog(100, USUAL, USUAL);
    assertTrue(price.isLong(4 * LEAST));
    for (int i = 0; i < 10; i++) {
      fromBacklog(100, USUAL, USUAL);
    }
    assertTrue(price.isLong(LEAST));
    assertFalse(price.isLong(LEAST - 1));
  }

  /** Else a load of short events would be tried, and a core with a long queue asked, for ever. */
  @Test
  void failuresEndInNoLookAtAll() {
    int tries = 0;
    while (price.isLong(Integer.MAX_VALUE)) {
      assertTrue(price.mayBeLong());
      fromBacklog(50_000, 100, 43);
      tries++;
    }
    assertEquals(10, tries);
    assertFalse(price.mayBeLong());
  }

  @Test
  void triesAgainWhenTheThresholdHasDecayedAndOnlyThen() {
    for (int i = 0; i < 40; i++) {
      price.doubleBacklog();
    }
    price.decay(WATCH);
    assertFalse(price.mayBeLong(), "it is twice too much");
    price.decay(16 * WATCH);
    assertTrue(price.mayBeLong());
    price.doubleBacklog();
    price.decay(17 * WATCH - 1);
    assertFalse(price.mayBeLong(), "too early");
    price.decay(300 * WATCH);
    assertTrue(price.isLong(LEAST));
    assertFalse(price.isLong(LEAST - 1));
  }

  /** Also while others steal what is worthy. */
  @Test
  void thresholdDecaysBesideSteals() {
    price.doubleBacklog();
    for (int i = 1; i < 100; i++) {
      price.observe(STEAL);
      price.decay(i * WATCH);
    }
    assertTrue(price.isLong(LEAST));
  }

  private boolean fromBacklog(int waiting, long tookNanos, long usualNanos) {
    return settle(Steal.Mode.BACKLOG, waiting, 0, tookNanos, usualNanos);
  }

  private boolean settle(
      Steal.Mode mode, int waiting, long searchNanos, long tookNanos, long usualNanos) {
    steal.beginSearch(0);
    steal.win(still.mely.newColor(0), still.core(0), mode, waiting, searchNanos);
    return price.settle(steal, tookNanos, usualNanos, null);
  }
}
