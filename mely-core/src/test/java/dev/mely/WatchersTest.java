package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** While a core works, another watches it, if there is one that sleeps (requirement B12). */
class WatchersTest {
  private static final int CORES = 3;

  private final StillMely still = new StillMely(CORES, StealPolicy.ALL);
  private final Handler<Object> handler = Handler.of(e -> {});

  /** Nothing happens for so long that the watch is over: all sleep for good. */
  @BeforeEach
  void allSleep() {
    boolean allForGood = false;
    for (int round = 0; round < 1_000 && !allForGood; round++) {
      still.pass(StillMely.STUCK_NANOS);
      allForGood = true;
      for (int i = 0; i < CORES; i++) {
        still.step(i);
        allForGood &= still.host.poller(i).lastWait() == Long.MAX_VALUE;
      }
    }
    assertTrue(allForGood);
    assertFalse(still.scheduler.idle.isWatched());
  }

  @Test
  void coreThatWakesUpCallsSomebodyToWatch() {
    still.mely.register(still.mely.newPinnedColor(0), handler, "event");
    still.step(0);
    assertEquals(Core.CALLED, still.core(1).parked.getVolatile());
    assertEquals(Core.PARKED, still.core(2).parked.getVolatile(), "one is enough");
    still.run(1);
    still.step(1);
    assertTrue(still.scheduler.idle.isWatched());
    assertTrue(still.host.poller(1).lastWait() <= StillMely.STUCK_NANOS);
  }

  /** Or nobody would notice if both got stuck now. */
  @Test
  void watcherThatGoesToWorkCallsTheNext() {
    coreThatWakesUpCallsSomebodyToWatch();
    still.mely.register(still.mely.newPinnedColor(1), handler, "event");
    still.stepTo(1, WorkerState.RUN);
    assertEquals(Core.CALLED, still.core(2).parked.getVolatile());
  }
}
