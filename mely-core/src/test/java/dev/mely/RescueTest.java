package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
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
    Color waiting = still.register(Costs.SHORT, 1);
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
    still.run(0);
    assertEquals(9, still.mely.inspect().statistics().total().events());
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
    assertEquals(6, ran.size());
    assertTrue(ran.indexOf("costly") < 2, ran::toString);
    assertTrue(ran.indexOf("cheap") < 2, ran::toString);
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
