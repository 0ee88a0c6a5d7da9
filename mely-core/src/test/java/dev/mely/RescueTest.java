package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What others do for a core that is stuck in a handler, or late with its timers. */
class RescueTest {
  private static final long POLL_NANOS = 200_000;

  // ---- Stuck cores

  /** Neither half of the events nor worthiness counts when a core is stuck in a handler. */
  @ParameterizedTest
  @ValueSource(strings = {"base", "locality", "time-left", "all"})
  void anyColorOfAStuckCoreIsTaken(String policy) {
    StillMely still = new StillMely(2, StealPolicy.parse(policy));
    Color stuck = still.register(Costs.SHORT, 1);
    still.stepTo(0, WorkerState.RUN);
    Color waiting = still.register(Costs.SHORT, 5);
    assertNull(still.search());
    stayStuck(still);
    assertEquals(1, still.mely.inspect().statistics().total().takeovers());
    assertEquals(1, waiting.core());
    still.assertRuns(stuck);
  }

  @Test
  void pinnedColorStaysEvenAtAStuckCore() {
    StillMely still = new StillMely(2, StealPolicy.ALL);
    Color[] pinned = new Color[7];
    still.register(Costs.SHORT, 1);
    still.stepTo(0, WorkerState.RUN);
    for (int i = 0; i < pinned.length; i++) {
      pinned[i] = still.mely.newPinnedColor(0);
      still.mely.register(pinned[i], Costs.SHORT, i);
    }
    Color behindThem = still.register(Costs.SHORT, 1);
    stayStuck(still);
    for (Color color : pinned) {
      assertTrue(color.isQueuedAt(0));
    }
    assertEquals(1, behindThem.core(), "the pinned ones do not hide it for ever");
    assertTrue(
        still.scheduler.price.isLong(StealPrice.MIN_BACKLOG), "no reason to spare other cores");
    still.run(0);
    assertEquals(9, still.mely.inspect().statistics().total().events());
  }

  /** Where nothing is worthy it need not look for that in between. */
  @Test
  void oneLookAtAStuckCoreFindsWhatWaitsBehindPinnedColors() {
    StillMely still = new StillMely(2, StealPolicy.ALL);
    still.register(Costs.SHORT, 1);
    still.stepTo(0, WorkerState.RUN);
    for (int i = 0; i < 2; i++) {
      still.mely.register(still.mely.newPinnedColor(0), Costs.SHORT, i);
    }
    Color behindThem = still.register(Costs.SHORT, 1);
    for (int i = 0; i < 1_000 && behindThem.isQueuedAt(0); i++) {
      if (still.worker(1).state() == WorkerState.PARK) {
        still.host.advance(StillMely.STUCK_NANOS);
      }
      still.step(1);
    }
    assertEquals(1, behindThem.core());
    assertEquals(1, still.core(1).counters.stealsTried);
  }

  /** Its worker alone can take the entries from there; it finds those of the others stale. */
  @ParameterizedTest
  @ValueSource(strings = {"base", "all"})
  void colorsThatAStuckCoreHasMovedToItsOwnLaneAreTaken(String policy) {
    StillMely still = new StillMely(2, StealPolicy.parse(policy));
    still.register(Costs.SHORT, 1);
    Color pinned = still.mely.newPinnedColor(0);
    still.mely.register(pinned, Costs.SHORT, "event");
    Color free = still.register(Costs.SHORT, 5);
    still.stepTo(0, WorkerState.RUN);
    assertEquals(2, still.core(0).queue.own().size());
    stayStuck(still);
    assertEquals(1, free.core());
    assertTrue(pinned.isQueuedAt(0));
    assertEquals(2, still.core(0).queue.size(), "nothing was put back");
    still.run(0);
    assertEquals(7, still.mely.inspect().statistics().total().events());
  }

  @Test
  void timersOfAStuckCoreAreFiredByOthers() {
    StillMely still = new StillMely(2, StealPolicy.ALL);
    List<Object> ran = new ArrayList<>();
    Color color = still.mely.newColor(0);
    Handler<Object> note = Handler.of(e -> ran.add(still.mely.inspect().currentCore()));
    still.mely.schedule(color, note, "timer", Duration.ofNanos(2 * StillMely.STUCK_NANOS));
    still.register(Costs.SHORT, 1);
    still.stepTo(0, WorkerState.RUN);
    stayStuck(still);
    assertEquals(List.of(1), ran);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void pollerOfAStuckCoreIsPolledIfItMayBe(boolean transferable) {
    StillMely still = new StillMely(2, StealPolicy.ALL);
    still.host.poller(0).transferable = transferable;
    still.register(Costs.SHORT, 1);
    still.stepTo(0, WorkerState.RUN);
    stayStuck(still);
    assertEquals(!transferable, still.host.poller(0).waits.isEmpty());
  }

  /** However many of its colors the thief looks at in between. */
  @Test
  void pollerOfAStuckCoreIsPolledOncePerWakeUp() {
    StillMely still = StillMely.searching(StealPolicy.ALL);
    List<Long> polls = still.host.poller(0).waits;
    still.register(Costs.SHORT, 1);
    still.stepTo(0, WorkerState.RUN);
    for (int i = 0; i < 3; i++) {
      still.mely.register(still.mely.newPinnedColor(0), Costs.SHORT, i);
    }
    int wakeUps = 0;
    for (int i = 0; i < 8; i++) {
      still.host.advance(StillMely.STUCK_NANOS);
      still.run(1);
      boolean stuck = still.core(1).counters.parks >= 2; // it has looked twice
      wakeUps += stuck ? 1 : 0;
      assertEquals(wakeUps, polls.size());
    }
    assertTrue(wakeUps > 0);
  }

  /** It counts as searching from then on: one is enough. */
  @Test
  void noOtherIsWokenWhileARescuerWithoutWorkSearches() {
    SettingsBuilder settings = new SettingsBuilder();
    settings.cores = 3;
    settings.spins = 2;
    settings.policy = StealPolicy.TIME_LEFT;
    StillMely still = new StillMely(settings);
    still.register(Costs.SHORT, 1);
    still.stepTo(0, WorkerState.RUN);
    still.run(2);
    Color own = still.mely.newColor(1);
    Handler<Object> slow = Handler.of(e -> still.host.advance(StillMely.STUCK_NANOS));
    still.mely.register(own, slow, "first");
    still.mely.register(own, slow, "second");
    while (still.core(1).counters.stealsTried < 2) {
      still.step(1); // to the rescue, then for itself
    }
    assertEquals(0, still.core(1).counters.parks);
    int before = still.host.poller(2).wakeups;
    Color color = still.register(Costs.LONG, 1);
    assertEquals(before, still.host.poller(2).wakeups);
    assertSame(color, still.search());
  }

  /** What is first in the ring, since nobody else runs it, and what wins most. */
  @Test
  void worthyAndWaitingColorsOfAStuckCoreTakeTurns() {
    StillMely still = new StillMely(2, StealPolicy.ALL);
    List<Object> ran = new ArrayList<>();
    Handler<Object> cheap =
        Handler.of(e -> ran.add("cheap")).cost(Duration.ofNanos(100)).penalty(1);
    Handler<Object> costly =
        Handler.of(e -> ran.add("costly")).cost(Duration.ofMillis(1)).penalty(1);
    still.register(Costs.SHORT, 1);
    still.stepTo(0, WorkerState.RUN);
    for (int i = 0; i < 2; i++) { // core 1 looks twice, and finds that nothing moves at core 0
      still.run(1);
      still.host.advance(StillMely.STUCK_NANOS);
    }
    still.step(1);
    for (int i = 0; i < 6; i++) {
      still.register(i < 4 ? cheap : costly, 1);
    }
    stayStuck(still);
    assertEquals(List.of("cheap", "costly", "cheap", "costly", "cheap", "cheap"), ran);
  }

  // ---- Late timers of busy cores

  @Test
  void overdueTimersOfABusyCoreAreTaken() {
    List<Object> ran = new ArrayList<>();
    StillMely still = StillMely.searching(StealPolicy.ALL);
    Handler<Object> note = Handler.of(e -> ran.add(e + "@" + still.mely.inspect().currentCore()));
    Color color = still.mely.newColor(0);
    still.mely.schedule(color, note, "first", Duration.ofNanos(1_000));
    still.mely.schedule(still.mely.newColor(0), note, "second", Duration.ofNanos(2_000));
    still.mely.schedule(still.mely.newColor(0), note, "later", Duration.ofDays(1));
    still.register(Costs.SHORT, 1);
    still.stepTo(0, WorkerState.RUN);
    still.host.advance(2_000 + POLL_NANOS);
    still.run(1);
    assertEquals(List.of(), ran, "its own worker still has its chance");
    still.host.advance(POLL_NANOS);
    still.step(1);
    still.run(1);
    assertEquals(List.of("first@1", "second@1"), ran);
    assertEquals(1, color.core());
    assertEquals(0, still.mely.inspect().statistics().total().takeovers(), "core 0 is not stuck");
    still.run(0);
    assertEquals(2, ran.size(), "once");
  }

  /** The timer of a pinned color is fired for it, and its event waits at home. */
  @Test
  void pinnedColorStaysWhenItsTimerIsTaken() {
    List<Object> ran = new ArrayList<>();
    StillMely still = StillMely.searching(StealPolicy.ALL);
    Color pinned = still.mely.newPinnedColor(0);
    Handler<Object> note = Handler.of(e -> ran.add(still.mely.inspect().currentCore()));
    still.mely.schedule(pinned, note, "timer", Duration.ofNanos(1_000));
    still.register(Costs.SHORT, 1);
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
    StillMely still = StillMely.searching(StealPolicy.ALL);
    Color color = still.mely.newColor(0);
    Handler<Object> note = Handler.of(ran::add).cost(Duration.ofNanos(1)).penalty(1);
    still.register(Costs.SHORT, 1);
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

  /** Time passes, and core 1 looks at it, while core 0 is in its handler. */
  private static void stayStuck(StillMely still) {
    for (int i = 0; i < 8; i++) {
      still.host.advance(StillMely.STUCK_NANOS);
      still.run(1);
    }
  }
}
