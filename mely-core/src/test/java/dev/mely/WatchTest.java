package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Which core is stuck in a handler, seen from core 0 (requirement B12). */
class WatchTest {
  private static final long INTERVAL = StillMely.WATCH_NANOS;
  private static final long SOON = 1_000_000;

  private final StillMely still = new StillMely(3, StealPolicy.ALL);
  private final Watch watch = new Watch(still.scheduler.thieves(), still.core(0));
  private final Core busy = still.core(1);
  private final Core sleeper = still.core(2);

  WatchTest() {
    sleeper.parked.setVolatile(Core.PARKED);
  }

  @Test
  void coreIsStuckIfItsEpochStandsStillBetweenTwoLooks() {
    look();
    assertFalse(watch.isStuck(busy));
    look();
    assertTrue(watch.isStuck(busy));
    assertFalse(watch.isStuck(sleeper));
  }

  @Test
  void looksInQuickSuccessionProveNothing() {
    look();
    for (int i = 0; i < 10; i++) {
      still.host.advance(INTERVAL / 20);
      watch.look(still.host.nanos());
    }
    assertFalse(watch.isStuck(busy));
  }

  @Test
  void coreThatBeginsAnotherColorIsNotStuck() {
    look();
    for (int i = 0; i < 10; i++) {
      busy.epoch.getAndAdd(1);
      look();
      assertFalse(watch.isStuck(busy));
    }
  }

  @Test
  void coreThatGoesOnIsNotStuckAnyMore() {
    look();
    look();
    assertTrue(watch.isStuck(busy));
    busy.epoch.getAndAdd(1);
    assertFalse(watch.isStuck(busy), "seen without another look");
    look();
    assertFalse(watch.isStuck(busy));
  }

  @Test
  void sleeperIsNotStuckHoweverLongItSleeps() {
    for (int i = 0; i < 5; i++) {
      look();
      assertFalse(watch.isStuck(sleeper));
    }
    sleeper.parked.setVolatile(Core.AWAKE);
    look();
    assertFalse(watch.isStuck(sleeper), "it has only just woken up");
    look();
    assertTrue(watch.isStuck(sleeper));
  }

  /** A handler that sleeps need not be given the whole watch time, twice, to end. */
  @Test
  void coreWhoseThreadWaitsIsStuckSoon() {
    still.host.setWaiting(1, true);
    look();
    assertFalse(watch.isStuck(busy));
    assertEquals(SOON, watch.patience());
    lookSoon();
    assertTrue(watch.isStuck(busy));
  }

  /** It may have begun to wait a moment ago. */
  @Test
  void coreIsNotStuckAtTheFirstSightOfAWait() {
    sleeper.parked.setVolatile(Core.AWAKE);
    still.host.setWaiting(2, true); // so that the watcher comes back soon
    look();
    still.host.setWaiting(1, true);
    lookSoon();
    assertFalse(watch.isStuck(busy));
    lookSoon();
    assertTrue(watch.isStuck(busy));
  }

  @Test
  void coreThatGoesOnBetweenTwoWaitsIsNotStuck() {
    still.host.setWaiting(1, true);
    for (int i = 0; i < 10; i++) {
      lookSoon();
      assertFalse(watch.isStuck(busy));
      busy.epoch.getAndAdd(1);
    }
    still.host.setWaiting(1, false);
    lookSoon();
    assertFalse(watch.isStuck(busy));
    assertEquals(INTERVAL, watch.patience());
  }

  /** Such as one that registers 50,000 events: somebody else's wait must not make it look stuck. */
  @Test
  void coreThatComputesKeepsTheWholeInterval() {
    sleeper.parked.setVolatile(Core.AWAKE);
    still.host.setWaiting(2, true);
    look();
    for (int i = 0; i < 2; i++) {
      lookSoon();
      assertFalse(watch.isStuck(busy));
      assertTrue(watch.isStuck(sleeper));
    }
    look();
    assertTrue(watch.isStuck(busy));
  }

  /** It waits where a sleeper waits: in its poller. */
  @Test
  void sleeperDoesNotMakeTheWatcherHurry() {
    still.host.setWaiting(2, true);
    look();
    assertEquals(INTERVAL, watch.patience());
  }

  @Test
  void watcherLooksAgainAfterTheInterval() {
    look();
    assertEquals(INTERVAL, watch.patience());
  }

  @Test
  void watcherComesBackSoonToAStuckCore() {
    look();
    look();
    assertTrue(watch.patience() <= SOON, "patience " + watch.patience());
  }

  @Test
  void watchEndsWhenAllSleep() {
    busy.parked.setVolatile(Core.PARKED);
    int looks = 0;
    while (watch.patience() != Long.MAX_VALUE && looks < 1_000) {
      look();
      looks++;
    }
    assertTrue(looks > 1 && looks < 1_000, "after " + looks + " looks");
    busy.parked.setVolatile(Core.AWAKE);
    assertEquals(INTERVAL, watch.patience(), "it must not sleep for good while somebody works");
  }

  /** Somebody has worked between two looks, and sleeps again. */
  @Test
  void watchBeginsAnewWhenSomethingHasHappened() {
    busy.parked.setVolatile(Core.PARKED);
    for (int i = 0; i < 100; i++) {
      look();
    }
    assertEquals(Long.MAX_VALUE, watch.patience());
    busy.epoch.getAndAdd(1);
    look();
    assertEquals(INTERVAL, watch.patience());
  }

  @Test
  void watchDoesNotEndWhileSomebodyIsAwake() {
    for (int i = 0; i < 100; i++) {
      busy.epoch.getAndAdd(1);
      look();
    }
    assertEquals(INTERVAL, watch.patience());
  }

  private void look() {
    look(INTERVAL);
  }

  private void lookSoon() {
    look(SOON);
  }

  private void look(long after) {
    still.host.advance(after);
    watch.look(still.host.nanos());
  }
}
