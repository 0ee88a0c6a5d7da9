package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Who is stuck in a handler, seen from core 0 (requirement B12). */
class WatchTest {
  private static final long INTERVAL = StillMely.WATCH_NANOS;

  private final StillMely still = new StillMely(3, StealPolicy.ALL);
  private final Watch watch = new Watch(still.scheduler, still.core(0));
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

  @Test
  void watcherLooksAgainAfterTheInterval() {
    look();
    assertEquals(INTERVAL, watch.patience());
  }

  @Test
  void watcherComesBackSoonToAStuckCore() {
    look();
    look();
    assertTrue(watch.patience() <= 1_000_000, "patience " + watch.patience());
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

  @Test
  void watchDoesNotEndWhileSomebodyIsAwake() {
    for (int i = 0; i < 100; i++) {
      busy.epoch.getAndAdd(1);
      look();
    }
    assertEquals(INTERVAL, watch.patience());
  }

  private void look() {
    still.host.advance(INTERVAL);
    watch.look(still.host.nanos());
  }
}
