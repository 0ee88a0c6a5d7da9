package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a thief at core 1 takes from core 0 (requirements A6, B3, B5, B6, B12). */
class ThiefTest {

  // ---- Base

  @Test
  void baseLeavesACoreItsOnlyColor() {
    StillMely still = new StillMely(2, StealPolicy.BASE);
    still.register(Costs.SHORT, 1);
    assertNull(still.search());
  }

  @Test
  void baseTakesTheFirstColorWithLessThanHalfOfTheEvents() {
    StillMely still = new StillMely(2, StealPolicy.BASE);
    Color heavy = still.register(Costs.SHORT, 5);
    Color light = still.register(Costs.SHORT, 1);
    still.register(Costs.SHORT, 1);
    assertSame(light, still.search());
    assertTrue(heavy.isQueuedAt(0));
    assertEquals(1, light.core());
  }

  /** What runs there stands for an event: two of four are not more than half. */
  @Test
  void baseTakesAsManyEventsAsItLeaves() {
    StillMely still = new StillMely(2, StealPolicy.BASE);
    Color running = still.register(Costs.SHORT, 1);
    still.stepTo(0, WorkerState.RUN);
    Color two = still.register(Costs.SHORT, 2);
    still.register(Costs.SHORT, 1);
    assertSame(two, still.search());
    still.assertRuns(running);
  }

  @Test
  void baseTakesAllEventsOfOneColorAndNoOther() {
    StillMely still = new StillMely(2, StealPolicy.BASE);
    List<Object> ran = new ArrayList<>();
    Handler<Object> note = Handler.of(e -> ran.add(e + "@" + still.mely.inspect().currentCore()));
    for (int c = 0; c < 3; c++) {
      Color color = still.mely.newColor(0);
      still.mely.register(color, note, "c" + c + "e1");
      still.mely.register(color, note, "c" + c + "e2");
    }
    still.stepTo(1, WorkerState.RUN);
    still.stepTo(1, WorkerState.FINISH);
    assertEquals(List.of("c0e1@1", "c0e2@1"), ran);
    still.run(0);
    assertEquals(List.of("c1e1@0", "c1e2@0", "c2e1@0", "c2e2@0"), ran.subList(2, ran.size()));
  }

  @Test
  void baseNeverTakesThePinnedOrTheRunningColor() {
    StillMely still = new StillMely(2, StealPolicy.BASE);
    Color running = still.register(Costs.SHORT, 1);
    still.stepTo(0, WorkerState.RUN);
    Color[] pinned = {still.mely.newPinnedColor(0), still.mely.newPinnedColor(0)};
    for (Color color : pinned) {
      still.mely.register(color, Costs.SHORT, "event");
    }
    assertNull(still.search());
    still.assertRuns(running);
    for (Color color : pinned) {
      assertTrue(color.isQueuedAt(0));
    }
    Color free = still.register(Costs.SHORT, 1);
    assertSame(free, still.search());
  }

  @Test
  void baseBeginsWhereMostWaits() {
    StillMely still = new StillMely(3, StealPolicy.BASE);
    for (int i = 0; i < 2; i++) {
      still.register(Costs.SHORT, 1);
    }
    List<Color> there = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      Color color = still.mely.newColor(2);
      still.mely.register(color, Costs.SHORT, "event");
      there.add(color);
    }
    assertSame(there.get(0), still.search());
  }

  @Test
  void whatComesAfterALookIsFoundByTheNext() {
    StillMely still = StillMely.searching(StealPolicy.BASE);
    for (int i = 0; i < 100 && still.core(1).counters.stealsTried < 2; i++) {
      still.step(1);
    }
    assertEquals(0, still.core(1).counters.parks, "it has not slept in between");
    Color first = still.register(Costs.SHORT, 1);
    still.register(Costs.SHORT, 1);
    assertEquals(2, still.core(1).counters.stealsTried, "it is about to look again");
    assertEquals(WorkerState.SEARCH, still.worker(1).state());
    assertEquals(WorkerState.SEARCH, still.step(1), "takes an entry");
    assertEquals(WorkerState.RUN, still.step(1));
    assertSame(first, still.core(1).batch.color());
  }

  // ---- Time left

  @Test
  void onlyWorthyColorsAreStolen() {
    StillMely still = new StillMely(2, StealPolicy.TIME_LEFT);
    still.register(Costs.SHORT, 5);
    Color worthy = still.register(Costs.LONG, 1);
    still.register(Costs.SHORT, 5);
    assertSame(worthy, still.search());
    assertNull(still.search());
  }

  /** One color that is worthy may be stolen even if its core has no other. */
  @Test
  void manySmallEventsMakeAColorWorthy() {
    StillMely still = new StillMely(2, StealPolicy.TIME_LEFT);
    Color color = still.register(Costs.SHORT, 100);
    assertNull(still.search(), "it holds exactly what a steal costs");
    still.mely.register(color, Costs.SHORT, "one more");
    assertSame(color, still.search());
  }

  /** Else a process whose first steals were slow, in code not yet compiled, never steals again. */
  @Test
  void whoHasStolenAtAHighPriceComesBack() {
    StillMely still = new StillMely(2, StealPolicy.TIME_LEFT);
    for (int i = 0; i < 50; i++) {
      still.scheduler.price.observe(20_000);
    }
    still.register(Costs.MIDDLE, 1);
    assertNull(still.search(), "it costs more than it wins");
    still.run(0);
    for (int i = 0; i < 2; i++) {
      still.host.advance(64 * StillMely.STUCK_NANOS);
      assertNull(still.search(), "nothing waits");
    }
    still.register(Costs.SHORT, 1); // wakes its core
    Color color = still.register(Costs.MIDDLE, 1);
    assertSame(color, still.search());
  }

  @Test
  void whoHasStolenAtAHighPriceComesBackWithoutASleep() {
    StillMely still = StillMely.searching(StealPolicy.TIME_LEFT);
    for (int i = 0; i < 50; i++) {
      still.scheduler.price.observe(20_000);
    }
    for (int i = 0; i < 2; i++) {
      still.host.advance(64 * StillMely.STUCK_NANOS);
      still.mely.register(still.mely.newColor(1), Costs.SHORT, "its own");
      still.stepTo(1, WorkerState.RUN);
      still.stepTo(1, WorkerState.SEARCH);
    }
    assertEquals(0, still.core(1).counters.parks);
    Color color = still.register(Costs.MIDDLE, 1);
    assertSame(color, still.search());
  }

  @Test
  void colorStaysIfStealsHaveBecomeDearSinceItWasOffered() {
    StillMely still = new StillMely(2, StealPolicy.TIME_LEFT);
    Color color = still.register(Costs.MIDDLE, 1);
    for (int i = 0; i < 50; i++) {
      still.scheduler.price.observe(20_000);
    }
    assertNull(still.search());
    assertTrue(color.isQueuedAt(0));
  }

  @Test
  void searchesAndStolenEventsAreTimedApart() {
    StillMely still = new StillMely(2, StealPolicy.TIME_LEFT);
    still.register(
        Handler.of(e -> still.host.advance(5_000)).cost(Duration.ofNanos(9_000)).penalty(1), 1);
    still.stepTo(1, WorkerState.SEARCH);
    still.host.advance(300);
    still.stepTo(1, WorkerState.RUN);
    still.run(1);
    assertEquals(300, still.core(1).counters.stealNanos);
    assertEquals(5_000, still.core(1).counters.stolenNanos);
  }

  @Test
  void mostWorkComesFirst() {
    StillMely still = new StillMely(2, StealPolicy.TIME_LEFT);
    Color little = still.register(Costs.MIDDLE, 1);
    Color much = still.register(Costs.LONG, 1);
    assertSame(much, still.search());
    assertSame(little, still.search());
  }

  /** Many short colors are a long queue, and nothing for a thief. */
  @Test
  void whereMostIsWorthStealingComesFirst() {
    StillMely still = new StillMely(3, StealPolicy.TIME_LEFT);
    for (int i = 0; i < 5; i++) {
      still.register(Costs.SHORT, 1);
    }
    still.register(Costs.LONG, 1);
    List<Color> there = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      Color color = still.mely.newColor(2);
      still.mely.register(color, Costs.LONG, "event");
      there.add(color);
    }
    assertSame(there.get(0), still.search());
  }

  @Test
  void colorThatItsOwnCoreRunsIsNotStolen() {
    StillMely still = new StillMely(2, StealPolicy.TIME_LEFT);
    Color color = still.register(Costs.LONG, 30);
    still.stepTo(0, WorkerState.RUN);
    assertNull(still.search());
    still.assertRuns(color);
  }

  /** Between two batches it may be taken, if its core has another one to run. */
  @Test
  void restOfAnUnfinishedColorIsStolen() {
    StillMely still = new StillMely(2, StealPolicy.TIME_LEFT, 1);
    Color color = still.register(Costs.LONG, 5);
    still.mely.register(still.mely.newPinnedColor(0), Costs.LONG, 0);
    still.stepTo(0, WorkerState.PICK);
    assertSame(color, still.search());
    still.run(1);
    assertEquals(0, color.weight());
    assertEquals(5, still.mely.inspect().statistics().total().events());
  }

  /** A core that has nothing else goes on with it at once: a thief would gain nothing. */
  @Test
  void loneColorIsNotStolenFromACoreThatRunsIt() {
    StillMely still = new StillMely(2, StealPolicy.TIME_LEFT, 1);
    Color color = still.register(Costs.LONG, 5);
    for (int ran = 0; ran < 5; ran++) {
      still.stepTo(0, WorkerState.FINISH);
      assertNull(still.search());
    }
    still.run(0);
    assertEquals(0, color.weight());
    assertEquals(5, still.mely.inspect().statistics().cores().get(0).events());
  }

  /** Nor is one woken for it while the core polls between two long batches. */
  @Test
  void noThiefIsWokenForALoneColor() {
    StillMely still = new StillMely(2, StealPolicy.TIME_LEFT);
    Color color = startLoneColor(still, 6);
    int before = still.host.poller(1).wakeups;
    for (int ran = 1; ran < 6; ran++) {
      still.stepTo(0, WorkerState.POLL);
      assertTrue(color.isQueuedAt(0));
      assertFalse(still.core(0).stealing.isEmpty(), "one that is awake may take it");
    }
    still.run(0);
    assertEquals(before, still.host.poller(1).wakeups);
    assertEquals(0, color.weight());
  }

  @Test
  void aThiefIsWokenForALoneColorIfSomethingElseWaits() {
    StillMely still = new StillMely(2, StealPolicy.TIME_LEFT);
    Color color = startLoneColor(still, 6);
    int before = still.host.poller(1).wakeups;
    still.stepTo(0, WorkerState.POLL);
    still.register(Costs.SHORT, 1);
    assertEquals(before, still.host.poller(1).wakeups, "not for a short one");
    still.step(0);
    assertEquals(before + 1, still.host.poller(1).wakeups);
    assertSame(color, still.search());
  }

  /** Not even what thieves that are awake may take, if it is not worth waking one. */
  @Test
  void noThiefIsWokenIfLittleIsLeft() {
    for (Handler<Object> last : List.of(Costs.SHORT, Costs.MIDDLE)) {
      StillMely still = new StillMely(2, StealPolicy.TIME_LEFT);
      Color color = startLoneColor(still, 1);
      still.mely.register(color, last, "the last");
      int before = still.host.poller(1).wakeups;
      still.stepTo(0, WorkerState.POLL);
      assertEquals(last == Costs.SHORT, still.core(0).stealing.isEmpty());
      still.register(Costs.SHORT, 1);
      still.run(0);
      assertEquals(before, still.host.poller(1).wakeups);
    }
  }

  @Test
  void noThiefIsWokenForALonePinnedColor() {
    StillMely still = new StillMely(2, StealPolicy.TIME_LEFT);
    startLoneColor(still, still.mely.newPinnedColor(0), 6);
    int before = still.host.poller(1).wakeups;
    still.stepTo(0, WorkerState.POLL);
    assertTrue(still.core(0).stealing.isEmpty());
    still.register(Costs.SHORT, 1);
    still.run(0);
    assertEquals(before, still.host.poller(1).wakeups);
  }

  /** Its core is about to run what waits at the stuck one, for who knows how long. */
  @Test
  void aThiefIsWokenForALoneColorIfAnotherCoreIsStuck() {
    StillMely still = new StillMely(3, StealPolicy.TIME_LEFT);
    still.mely.register(still.mely.newColor(2), Handler.of(e -> {}), "stuck");
    still.stepTo(2, WorkerState.RUN);
    Color color = startLoneColor(still, 1_000);
    int before = still.host.poller(1).wakeups;
    for (int ran = 1; ran < 1_000 && still.host.poller(1).wakeups == before; ran++) {
      still.stepTo(0, WorkerState.POLL);
      still.step(0);
    }
    assertTrue(color.isQueuedAt(0));
    assertEquals(before + 1, still.host.poller(1).wakeups);
  }

  private static Color startLoneColor(StillMely still, int events) {
    return startLoneColor(still, still.mely.newColor(0), events);
  }

  /** Core 0 is about to run its first event, core 1 is asleep. */
  private static Color startLoneColor(StillMely still, Color color, int events) {
    Duration cost = Duration.ofNanos(StillMely.BATCH_NANOS);
    Handler<Object> slow = Handler.of(e -> still.host.advance(cost.toNanos())).cost(cost);
    still.mely.register(color, slow, 0);
    still.stepTo(0, WorkerState.RUN);
    for (int i = 1; i < events; i++) {
      still.mely.register(color, slow, i);
    }
    still.run(1);
    return color;
  }

  @Test
  void pinnedColorIsNeverOfferedToThieves() {
    StillMely still = new StillMely(2, StealPolicy.ALL);
    Color pinned = still.mely.newPinnedColor(0);
    for (int i = 0; i < 3; i++) {
      still.mely.register(pinned, Costs.LONG, i);
    }
    assertTrue(still.core(0).stealing.isEmpty());
    assertNull(still.search());
  }

  // ---- Penalty

  @Test
  void penaltyMakesAColorLookSmall() {
    StillMely still = new StillMely(2, StealPolicy.ALL);
    Handler<Object> penalized = Costs.of(100_000, 1_000);
    still.register(penalized, 1);
    assertNull(still.search(), "100 us, but only 100 ns in the eyes of a thief");
    Color light = still.register(Costs.MIDDLE, 1);
    assertSame(light, still.search());
  }

  @Test
  void penaltyAloneOnlyOrdersTheColors() {
    StillMely still = new StillMely(2, StealPolicy.PENALTY);
    Color large = still.register(Costs.of(100_000, 1_000), 1);
    Color small = still.register(Costs.LONG, 1);
    assertSame(small, still.search());
    assertSame(large, still.search());
  }

  @Test
  void penaltyIsIgnoredWhereItIsOff() {
    StillMely still = new StillMely(2, StealPolicy.TIME_LEFT);
    Color color = still.register(Costs.of(100_000, 1_000), 1);
    assertSame(color, still.search());
  }

  // ---- Oldest first

  @Test
  void oldestWorthyColorIsTakenIfSoConfigured() {
    for (boolean oldest : new boolean[] {true, false}) {
      SettingsBuilder settings = new SettingsBuilder();
      settings.cores = 2;
      settings.policy = StealPolicy.ALL;
      settings.stealsOldest = oldest;
      StillMely still = new StillMely(settings);
      still.register(Costs.SHORT, 1);
      Color old = still.register(Costs.of(2_000, 1), 1);
      Color middle = still.register(Costs.MIDDLE, 1);
      Color heavy = still.register(Costs.LONG, 1);
      List<Color> expected = oldest ? List.of(old, middle, heavy) : List.of(heavy, middle, old);
      for (Color color : expected) {
        assertSame(color, still.search(), "oldest first: " + oldest);
      }
      assertNull(still.search(), "the one that is not worthy stays");
    }
  }
}
