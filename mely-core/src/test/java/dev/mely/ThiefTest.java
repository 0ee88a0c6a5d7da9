package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a thief at core 1 takes from core 0 (requirements A6, B3, B5, B6, B12). */
class ThiefTest {
  private static final Handler<Object> LONG = costs(100_000, 1);
  private static final Handler<Object> MIDDLE = costs(8_000, 1);
  private static final Handler<Object> SHORT = costs(10, 1);

  // ---- Base

  @Test
  void baseLeavesACoreItsOnlyColor() {
    StillMely still = new StillMely(2, StealPolicy.BASE);
    register(still, SHORT, 1);
    assertNull(search(still));
  }

  @Test
  void baseTakesTheFirstColorWithLessThanHalfOfTheEvents() {
    StillMely still = new StillMely(2, StealPolicy.BASE);
    Color heavy = register(still, SHORT, 5);
    Color light = register(still, SHORT, 1);
    register(still, SHORT, 1);
    assertSame(light, search(still));
    assertTrue(heavy.isQueuedAt(0));
    assertEquals(1, light.core());
  }

  @Test
  void baseTakesAllEventsOfOneColorAndNoOther() {
    StillMely still = new StillMely(2, StealPolicy.BASE);
    List<Object> ran = new ArrayList<>();
    Handler<Object> note = Handler.of(e -> ran.add(e + "@" + still.mely.currentCore()));
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
    Color running = register(still, SHORT, 1);
    still.stepTo(0, WorkerState.RUN);
    Color[] pinned = {still.mely.newPinnedColor(0), still.mely.newPinnedColor(0)};
    for (Color color : pinned) {
      still.mely.register(color, SHORT, "event");
    }
    assertNull(search(still));
    machineRuns(still, running);
    for (Color color : pinned) {
      assertTrue(color.isQueuedAt(0));
    }
    Color free = register(still, SHORT, 1);
    assertSame(free, search(still));
  }

  /** What a thief has looked at and refused is still run by its own core, once. */
  @ParameterizedTest
  @ValueSource(strings = {"base", "locality", "time-left", "penalty", "all"})
  void refusedColorsStayWhereTheyAre(String policy) {
    StillMely still = new StillMely(2, StealPolicy.parse(policy));
    List<Object> ran = new ArrayList<>();
    Handler<Object> note = Handler.of(ran::add, Duration.ofNanos(1), 1);
    for (int i = 0; i < 6; i++) {
      Color pinned = still.mely.newPinnedColor(0);
      still.mely.register(pinned, note, i);
    }
    still.run(1);
    assertEquals(List.of(), ran);
    still.run(0);
    assertEquals(6, ran.size());
    assertEquals(List.of(0, 1, 2, 3, 4, 5), ran.stream().sorted().toList());
  }

  /** What was urgent stays so in the hands of a thief that may not keep it. */
  @ParameterizedTest
  @ValueSource(strings = {"ROTATION", "CHEAPEST_FIRST"})
  void urgentColorThatIsPutBackStillGoesFirst(Mely.Order order) {
    SettingsBuilder settings = new SettingsBuilder();
    settings.cores = 2;
    settings.policy = StealPolicy.BASE;
    settings.order = order;
    StillMely still = new StillMely(settings);
    List<Object> ran = new ArrayList<>();
    Handler<Object> note = Handler.of(ran::add, Duration.ofNanos(10), 1);
    for (String name : List.of("a", "b")) {
      still.mely.register(still.mely.newPinnedColor(0), note, name);
    }
    still.mely.registerUrgent(still.mely.newPinnedColor(0), note, "urgent");
    assertNull(search(still));
    assertEquals(1, still.core(0).queue.sizes()[TurnOrder.URGENT]);
    still.run(0);
    assertEquals("urgent", ran.get(0));
    assertEquals(3, ran.size());
  }

  // ---- Time left

  @Test
  void onlyWorthyColorsAreStolen() {
    StillMely still = new StillMely(2, StealPolicy.TIME_LEFT);
    register(still, SHORT, 5);
    Color worthy = register(still, LONG, 1);
    register(still, SHORT, 5);
    assertSame(worthy, search(still));
    assertNull(search(still));
  }

  /** One color that is worthy may be stolen even if its core has no other. */
  @Test
  void manySmallEventsMakeAColorWorthy() {
    StillMely still = new StillMely(2, StealPolicy.TIME_LEFT);
    Color color = register(still, SHORT, 100);
    assertNull(search(still), "it holds exactly what a steal costs");
    still.mely.register(color, SHORT, "one more");
    assertSame(color, search(still));
  }

  /** Else a process whose first steals were slow, in code not yet compiled, never steals again. */
  @Test
  void whoHasStolenAtAHighPriceComesBack() {
    StillMely still = new StillMely(2, StealPolicy.TIME_LEFT);
    still.scheduler.worthiness.observeSteal(20_000, 20_000);
    register(still, MIDDLE, 1);
    assertNull(search(still), "it costs more than it wins");
    still.run(0);
    for (int i = 0; i < 2; i++) {
      still.host.advance(64 * StillMely.WATCH_NANOS);
      assertNull(search(still), "nothing waits");
    }
    register(still, SHORT, 1); // wakes its core
    Color color = register(still, MIDDLE, 1);
    assertSame(color, search(still));
  }

  @Test
  void mostWorkComesFirst() {
    StillMely still = new StillMely(2, StealPolicy.TIME_LEFT);
    Color little = register(still, MIDDLE, 1);
    Color much = register(still, LONG, 1);
    assertSame(much, search(still));
    assertSame(little, search(still));
  }

  /** Many short colors are a long queue, and nothing for a thief. */
  @Test
  void whereMostIsWorthStealingComesFirst() {
    StillMely still = new StillMely(3, StealPolicy.TIME_LEFT);
    for (int i = 0; i < 5; i++) {
      register(still, SHORT, 1);
    }
    register(still, LONG, 1);
    List<Color> there = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      Color color = still.mely.newColor(2);
      still.mely.register(color, LONG, "event");
      there.add(color);
    }
    assertSame(there.get(0), search(still));
  }

  @Test
  void colorThatItsOwnCoreRunsIsNotStolen() {
    StillMely still = new StillMely(2, StealPolicy.TIME_LEFT);
    Color color = register(still, LONG, 30);
    still.stepTo(0, WorkerState.RUN);
    assertNull(search(still));
    machineRuns(still, color);
  }

  /** Between two batches it may be taken, if its core has another one to run. */
  @Test
  void restOfAnUnfinishedColorIsStolen() {
    StillMely still = new StillMely(2, StealPolicy.TIME_LEFT, 1);
    Color color = register(still, LONG, 5);
    still.mely.register(still.mely.newPinnedColor(0), LONG, 0);
    still.stepTo(0, WorkerState.PICK);
    assertSame(color, search(still));
    still.run(1);
    assertEquals(0, color.weight());
    assertEquals(5, still.mely.statistics().total().events());
  }

  /** A core that has nothing else goes on with it at once: a thief would gain nothing. */
  @Test
  void loneColorIsNotStolenFromACoreThatRunsIt() {
    StillMely still = new StillMely(2, StealPolicy.TIME_LEFT, 1);
    Color color = register(still, LONG, 5);
    for (int ran = 0; ran < 5; ran++) {
      still.stepTo(0, WorkerState.FINISH);
      assertNull(search(still));
    }
    still.run(0);
    assertEquals(0, color.weight());
    assertEquals(5, still.mely.statistics().cores().get(0).events());
  }

  @Test
  void pinnedColorIsNeverOfferedToThieves() {
    StillMely still = new StillMely(2, StealPolicy.ALL);
    Color pinned = still.mely.newPinnedColor(0);
    for (int i = 0; i < 3; i++) {
      still.mely.register(pinned, LONG, i);
    }
    assertTrue(still.core(0).stealing.isEmpty());
    assertNull(search(still));
  }

  // ---- Penalty

  @Test
  void penaltyMakesAColorLookSmall() {
    StillMely still = new StillMely(2, StealPolicy.ALL);
    Handler<Object> penalized = costs(100_000, 1_000);
    register(still, penalized, 1);
    assertNull(search(still), "100 us, but only 100 ns in the eyes of a thief");
    Color light = register(still, MIDDLE, 1);
    assertSame(light, search(still));
  }

  // ---- Second choice

  /** An idle core that holds back helps nobody: see {@link Backlog}. */
  @ParameterizedTest
  @ValueSource(strings = {"time-left", "all"})
  void whereMuchWaitsTheNextColorIsTakenThoughNotWorthy(String policy) {
    StillMely still = searching(StealPolicy.parse(policy));
    Handler<Object> unworthy = costs(600, 1);
    Color first = register(still, unworthy, 1);
    for (int i = 2; i < Backlog.LEAST; i++) {
      register(still, unworthy, 1);
    }
    assertNull(search(still), "its own core is there soon");
    register(still, unworthy, 1);
    assertSame(first, search(still));
    assertEquals(1, first.core());
  }

  @Test
  void worthyColorsComeFirstThenTheHeavilyPenalizedOnes() {
    StillMely still = searching(StealPolicy.ALL);
    Handler<Object> penalized = costs(100_000, 1_000);
    List<Color> large = new ArrayList<>();
    for (int i = 0; i <= Backlog.LEAST; i++) {
      large.add(register(still, penalized, 1));
    }
    Color light = register(still, MIDDLE, 1);
    assertSame(light, search(still));
    assertSame(large.get(0), search(still));
    assertSame(large.get(1), search(still), "the first has proved itself");
  }

  /** Nothing is lost, and nothing moved, where nothing is stolen that waits. */
  @Test
  void pinnedColorsAreNoSecondChoice() {
    StillMely still = searching(StealPolicy.ALL);
    List<Color> pinned = new ArrayList<>();
    for (int i = 0; i < 4 * Backlog.LEAST; i++) {
      pinned.add(still.mely.newPinnedColor(0));
      still.mely.register(pinned.get(i), SHORT, i);
    }
    assertNull(search(still));
    for (Color color : pinned) {
      assertTrue(color.isQueuedAt(0));
    }
    assertFalse(still.scheduler.backlog.isLong(Backlog.LEAST), "to look again would be in vain");
    still.run(0);
    assertEquals(pinned.size(), still.mely.statistics().total().events());
  }

  /** Base stealing loses more than half of the throughput where events are that short. */
  @Test
  void shortEventsAreTriedOnceForEachPowerOfTwo() {
    StillMely still = searching(StealPolicy.ALL);
    int colors = 1_000;
    for (int i = 0; i < colors; i++) {
      register(still, SHORT, 1);
    }
    int steals = 0;
    while (search(still) != null) {
      steals++;
    }
    assertEquals(9, steals, "at 4, 8, 15, 30, ..: it has worn off once");
  }

  /** The worthy are not charged for what others turned out to cost. */
  @Test
  void secondChoiceMakesNoStealDearer() {
    StillMely still = searching(StealPolicy.ALL);
    Handler<Object> slow = Handler.of(e -> still.host.advance(5_000), Duration.ofNanos(600), 1);
    for (int i = 0; i < 100; i++) {
      register(still, slow, 1);
    }
    long before = still.scheduler.worthiness.stealNanos();
    for (int i = 0; i < 20; i++) {
      assertTrue(search(still) != null);
    }
    assertTrue(still.scheduler.worthiness.stealNanos() <= before);
  }

  @Test
  void penaltyAloneOnlyOrdersTheColors() {
    StillMely still = new StillMely(2, StealPolicy.PENALTY);
    Color large = register(still, costs(100_000, 1_000), 1);
    Color small = register(still, LONG, 1);
    assertSame(small, search(still));
    assertSame(large, search(still));
  }

  @Test
  void penaltyIsIgnoredWhereItIsOff() {
    StillMely still = new StillMely(2, StealPolicy.TIME_LEFT);
    Color color = register(still, costs(100_000, 1_000), 1);
    assertSame(color, search(still));
  }

  // ---- Stuck cores

  /** Neither half of the events nor worthiness counts when a core is stuck in a handler. */
  @ParameterizedTest
  @ValueSource(strings = {"base", "locality", "time-left", "all"})
  void anyColorOfAStuckCoreIsTaken(String policy) {
    StillMely still = new StillMely(2, StealPolicy.parse(policy));
    Color stuck = register(still, SHORT, 1);
    still.stepTo(0, WorkerState.RUN);
    Color waiting = register(still, SHORT, 1);
    assertNull(search(still));
    stayStuck(still);
    assertEquals(1, still.mely.statistics().total().takeovers());
    assertEquals(1, waiting.core());
    machineRuns(still, stuck);
  }

  @Test
  void pinnedColorStaysEvenAtAStuckCore() {
    StillMely still = new StillMely(2, StealPolicy.ALL);
    Color[] pinned = new Color[7];
    register(still, SHORT, 1);
    still.stepTo(0, WorkerState.RUN);
    for (int i = 0; i < pinned.length; i++) {
      pinned[i] = still.mely.newPinnedColor(0);
      still.mely.register(pinned[i], SHORT, i);
    }
    Color behindThem = register(still, SHORT, 1);
    stayStuck(still);
    for (Color color : pinned) {
      assertTrue(color.isQueuedAt(0));
    }
    assertEquals(1, behindThem.core(), "the pinned ones do not hide it for ever");
    still.run(0);
    assertEquals(9, still.mely.statistics().total().events());
  }

  @Test
  void timersOfAStuckCoreAreFiredByOthers() {
    StillMely still = new StillMely(2, StealPolicy.ALL);
    List<Object> ran = new ArrayList<>();
    Color color = still.mely.newColor(0);
    Handler<Object> note = Handler.of(e -> ran.add(still.mely.currentCore()));
    still.mely.schedule(color, note, "timer", Duration.ofNanos(2 * StillMely.WATCH_NANOS));
    register(still, SHORT, 1);
    still.stepTo(0, WorkerState.RUN);
    stayStuck(still);
    assertEquals(List.of(1), ran);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void pollerOfAStuckCoreIsPolledIfItMayBe(boolean transferable) {
    StillMely still = new StillMely(2, StealPolicy.ALL);
    still.host.poller(0).transferable = transferable;
    register(still, SHORT, 1);
    still.stepTo(0, WorkerState.RUN);
    stayStuck(still);
    assertEquals(!transferable, still.host.poller(0).waits.isEmpty());
  }

  /** What is first in the ring, since nobody else runs it, and what wins most. */
  @Test
  void worthyAndWaitingColorsOfAStuckCoreTakeTurns() {
    StillMely still = new StillMely(2, StealPolicy.ALL);
    List<Object> ran = new ArrayList<>();
    Handler<Object> cheap = Handler.of(e -> ran.add("cheap"), Duration.ofNanos(100), 1);
    Handler<Object> costly = Handler.of(e -> ran.add("costly"), Duration.ofMillis(1), 1);
    register(still, SHORT, 1);
    still.stepTo(0, WorkerState.RUN);
    for (int i = 0; i < 2; i++) { // core 1 looks twice, and finds that nothing moves at core 0
      still.run(1);
      still.host.advance(StillMely.WATCH_NANOS);
    }
    still.step(1);
    for (int i = 0; i < 6; i++) {
      register(still, i < 4 ? cheap : costly, 1);
    }
    stayStuck(still);
    assertEquals(6, ran.size());
    assertTrue(ran.indexOf("costly") < 2, ran::toString);
    assertTrue(ran.indexOf("cheap") < 2, ran::toString);
  }

  // ---- Late timers of busy cores

  private static final long POLL_NANOS = 200_000;

  @Test
  void overdueTimersOfABusyCoreAreTaken() {
    List<Object> ran = new ArrayList<>();
    StillMely still = searching();
    Handler<Object> note = Handler.of(e -> ran.add(e + "@" + still.mely.currentCore()));
    Color color = still.mely.newColor(0);
    still.mely.schedule(color, note, "first", Duration.ofNanos(1_000));
    still.mely.schedule(still.mely.newColor(0), note, "second", Duration.ofNanos(2_000));
    still.mely.schedule(still.mely.newColor(0), note, "later", Duration.ofDays(1));
    register(still, SHORT, 1);
    still.stepTo(0, WorkerState.RUN);
    still.host.advance(2_000 + POLL_NANOS);
    still.run(1);
    assertEquals(List.of(), ran, "its own worker still has its chance");
    still.host.advance(POLL_NANOS);
    still.step(1);
    still.run(1);
    assertEquals(List.of("first@1", "second@1"), ran);
    assertEquals(1, color.core());
    assertEquals(0, still.mely.statistics().total().takeovers(), "core 0 is not stuck");
    still.run(0);
    assertEquals(2, ran.size(), "once");
  }

  /** The timer of a pinned color is fired for it, and its event waits at home. */
  @Test
  void pinnedColorStaysWhenItsTimerIsTaken() {
    List<Object> ran = new ArrayList<>();
    StillMely still = searching();
    Color pinned = still.mely.newPinnedColor(0);
    Handler<Object> note = Handler.of(e -> ran.add(still.mely.currentCore()));
    still.mely.schedule(pinned, note, "timer", Duration.ofNanos(1_000));
    register(still, SHORT, 1);
    still.stepTo(0, WorkerState.RUN);
    still.host.advance(10 * POLL_NANOS);
    still.run(1);
    assertTrue(pinned.isQueuedAt(0));
    assertEquals(List.of(), ran);
    still.run(0);
    assertEquals(List.of(0), ran);
  }

  /** Its color waits at core 0 already: it keeps its place there. */
  @Test
  void takenTimerOfAColorThatWaitsJoinsIt() {
    List<Object> ran = new ArrayList<>();
    StillMely still = searching();
    Color color = still.mely.newColor(0);
    Handler<Object> note = Handler.of(ran::add, Duration.ofNanos(1), 1);
    register(still, SHORT, 1);
    still.stepTo(0, WorkerState.RUN);
    still.mely.register(color, note, "before");
    still.mely.schedule(color, note, "timer", Duration.ofNanos(1_000));
    still.host.advance(10 * POLL_NANOS);
    still.run(1);
    assertTrue(color.isQueuedAt(0));
    assertEquals(List.of(), ran);
    still.run(0);
    assertEquals(List.of("before", "timer"), ran);
  }

  // ---- With colors of its own

  /** What comes late to core 1 does not go before what has been waiting for long at core 0. */
  @Test
  void coreWithWorkTakesFromOneThatHasFarMore() {
    StillMely still = new StillMely(2, StealPolicy.TIME_LEFT);
    List<Color> own = ownColors(still, 2);
    Color oldest = register(still, LONG, 1);
    register(still, LONG, 1);
    register(still, LONG, 1);
    assertSame(own.get(0), next(still));
    assertSame(oldest, next(still), "three wait there, one here");
    assertSame(own.get(1), next(still));
  }

  @Test
  void coreWithWorkTakesNothingFromOneThatHasLittleMore() {
    StillMely still = new StillMely(2, StealPolicy.TIME_LEFT);
    List<Color> own = ownColors(still, 2);
    register(still, LONG, 1);
    register(still, LONG, 1);
    assertSame(own.get(0), next(still));
    assertSame(own.get(1), next(still), "two wait there, one here");
  }

  @Test
  void coreWithWorkLooksAtAnotherOneNowAndThen() {
    StillMely still = new StillMely(2, StealPolicy.TIME_LEFT);
    List<Color> own = ownColors(still, 3);
    List<Color> there = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      there.add(register(still, LONG, 1));
    }
    assertSame(own.get(0), next(still));
    assertSame(there.get(0), next(still));
    assertSame(own.get(1), next(still), "it has just looked");
    assertSame(there.get(1), next(still), "that was a while ago");
    assertSame(own.get(2), next(still));
  }

  @ParameterizedTest
  @ValueSource(strings = {"off", "base", "locality"})
  void whoKnowsNothingOfWorthHasItsOwnColorsFirst(String policy) {
    assertOwnColorsFirst(StealPolicy.parse(policy), LONG);
  }

  /** Worth a steal for a core that has nothing to do. */
  @Test
  void coreWithWorkTakesNoColorThatIsSoonRun() {
    assertOwnColorsFirst(StealPolicy.TIME_LEFT, MIDDLE);
  }

  private static void assertOwnColorsFirst(StealPolicy policy, Handler<Object> there) {
    StillMely still = new StillMely(2, policy);
    List<Color> own = ownColors(still, 2);
    for (int i = 0; i < 6; i++) {
      register(still, there, 1);
    }
    assertSame(own.get(0), next(still));
    assertSame(own.get(1), next(still));
  }

  @Test
  void staleEntriesDoNotKeepACoreFromItsWork() {
    StillMely still = new StillMely(2, StealPolicy.TIME_LEFT);
    List<Color> own = ownColors(still, 2);
    for (int i = 0; i < 6; i++) {
      register(still, SHORT, 1);
      still.core(0).stealing.offer(still.mely.newColor(0), 2);
    }
    assertSame(own.get(0), next(still));
    assertSame(own.get(1), next(still));
    assertEquals(2, still.core(0).stealing.size(), "it gave up after four");
  }

  @Test
  void onlyCoreHasNobodyToLookAt() {
    StillMely still = new StillMely(1, StealPolicy.TIME_LEFT);
    register(still, LONG, 1);
    register(still, LONG, 1);
    still.run(0);
    assertEquals(List.of(), still.errors);
    assertEquals(0, still.core(0).queue.size());
  }

  /** Of core 1. Each takes so long that the core then looks what there is beside its own. */
  private static List<Color> ownColors(StillMely still, int count) {
    Handler<Object> handler =
        Handler.of(e -> still.host.advance(100_000), Duration.ofNanos(100_000), 1);
    List<Color> own = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Color color = still.mely.newColor(1);
      still.mely.register(color, handler, "event");
      own.add(color);
    }
    return own;
  }

  /** The color that core 1 runs next. */
  private static @Nullable Color next(StillMely still) {
    while (still.worker(1).state() == WorkerState.RUN) {
      still.step(1);
    }
    still.stepTo(1, WorkerState.RUN);
    return still.core(1).batch.color();
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
      register(still, SHORT, 1);
      Color old = register(still, costs(2_000, 1), 1);
      Color middle = register(still, MIDDLE, 1);
      Color heavy = register(still, LONG, 1);
      List<Color> expected = oldest ? List.of(old, middle, heavy) : List.of(heavy, middle, old);
      for (Color color : expected) {
        assertSame(color, search(still), "oldest first: " + oldest);
      }
      assertNull(search(still), "the one that is not worthy stays");
    }
  }

  /** Two cores; idle ones look around before they sleep. */
  private static StillMely searching() {
    return searching(StealPolicy.ALL);
  }

  private static StillMely searching(StealPolicy policy) {
    SettingsBuilder settings = new SettingsBuilder();
    settings.cores = 2;
    settings.policy = policy;
    settings.spins = 2;
    return new StillMely(settings);
  }

  /** Time passes, and core 1 looks at it, while core 0 is in its handler. */
  private static void stayStuck(StillMely still) {
    for (int i = 0; i < 8; i++) {
      still.host.advance(StillMely.WATCH_NANOS);
      still.run(1);
    }
  }

  private static void machineRuns(StillMely still, Color color) {
    still.host.as(0, () -> assertTrue(color.isCurrent()));
    assertFalse(color.isQueuedAt(0));
  }

  private static Color register(StillMely still, Handler<Object> handler, int events) {
    Color color = still.mely.newColor(0);
    for (int i = 0; i < events; i++) {
      still.mely.register(color, handler, i);
    }
    return color;
  }

  /** Lets core 1 search until it has a color or wants to sleep. */
  private static @Nullable Color search(StillMely still) {
    Worker worker = still.worker(1);
    while (worker.state() == WorkerState.RUN || worker.state() == WorkerState.FINISH) {
      still.step(1); // what it has from before
    }
    for (int i = 0; i < 1_000; i++) {
      int state = still.step(1);
      if (state == WorkerState.RUN) {
        return still.core(1).batch.color();
      }
      if (state == WorkerState.PARK) {
        return null;
      }
    }
    throw new AssertionError("the search does not end");
  }

  private static Handler<Object> costs(long nanos, int penalty) {
    return Handler.of(e -> {}, Duration.ofNanos(nanos), penalty);
  }
}
