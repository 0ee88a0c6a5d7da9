package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Bugs that other runtimes of this kind have had, each as a test: a wake-up that was lost, or given
 * to the wrong one. The situation that failed there is built step by step from the real classes,
 * with the other side's action at <em>every</em> point where it could fall. {@link
 * KnownBugsMutantTest} shows that these tests can fail.
 */
class KnownBugsTest {
  /** No way from one state to another is longer here. */
  private static final int STEPS = 40;

  private final RanWhere ran = new RanWhere();

  // ---- Tokio

  /**
   * <a href="https://github.com/tokio-rs/tokio/pull/1788">Tokio #1788</a>: a producer saw that a
   * worker searched and woke nobody; that worker had looked at the queue just before, and parked.
   * Here a worker says that it parks, counts itself out of the searching, and then looks again, at
   * its victims too; a producer of a color then looks for parked workers.
   */
  @ParameterizedTest
  @ValueSource(strings = {"base", "time-left", "all"})
  void tokio1788WorkThatComesWhileTheLastSearcherParks(String policy) {
    for (int at = 0; at < STEPS; at++) {
      StillMely still = busyCore0(2, StealPolicy.parse(policy));
      int steps = descend(still, 1, at);
      for (String name : List.of("a", "b", "c", "d", "e")) {
        ran.post(still, still.mely.newColor(0), name);
      }
      runUnlessAsleep(still, 1, "after " + steps + " steps");
      if (steps < at) {
        return;
      }
    }
    throw new AssertionError("core 1 never came to rest");
  }

  /**
   * <a href="https://github.com/tokio-rs/tokio/pull/4383">Tokio #4383</a>: a producer left the
   * waking to a searcher that had found other work already and never saw the new. Here a thief that
   * has won stops searching first, then looks once more and sends for the next sleeper.
   */
  @Test
  void tokio4383WorkThatComesWhileTheLastSearcherHasFoundOther() {
    boolean found = false;
    for (int at = 0; at < STEPS && !found; at++) {
      StillMely still = busyCore0(3, StealPolicy.TIME_LEFT);
      for (int core = 1; core < 3; core++) {
        still.run(core);
        still.step(core); // asleep
        quiet(still, core);
      }
      ran.post(still, still.mely.newColor(0), "first");
      assertEquals(1, still.host.poller(1).wakeups);
      assertEquals(0, still.host.poller(2).wakeups, "one thief is enough");
      int worked = 0;
      for (; worked < at && still.core(1).batch.color() == null; worked++) {
        still.step(1);
      }
      found = still.core(1).batch.color() != null;
      ran.post(still, still.mely.newColor(0), "second");
      if (!found) {
        still.stepTo(1, WorkerState.RUN);
      }
      runUnlessAsleep(still, 2, "after " + worked + " steps of the first thief");
    }
    assertTrue(found, "the first thief never won");
  }

  // ---- cats-effect

  /**
   * <a href="https://github.com/typelevel/cats-effect/pull/3586">cats-effect #3586</a>: an idle
   * worker took over another's timer, which put a task into its own queue, and then tried to park,
   * again and again. Here the search ends as soon as the own queue holds something, and so does
   * what comes after having published.
   */
  @ParameterizedTest
  @ValueSource(strings = {"base", "time-left", "all"})
  void catsEffect3586TimerOfAnotherCoreFillsTheOwnQueue(String policy) {
    StillMely still = new StillMely(2, StealPolicy.parse(policy));
    Color color = still.mely.newColor(0);
    still.mely.schedule(color, ran.noteAt(still), "timer", Duration.ofMillis(1));
    assertTrue(color.moveTo(1), "its timer stays behind at core 0");
    still.mely.register(still.mely.newColor(0), Handler.of(e -> {}), "never ends");
    still.stepTo(0, WorkerState.RUN);
    still.run(1);
    still.host.advance(2_000_000);
    int parks = 0;
    for (int i = 0; ran.list.isEmpty() && i < 20 * STEPS; i++) {
      if (still.step(1) == WorkerState.PARK) {
        assertTrue(still.core(1).queue.isEmpty(), "it parks, but its queue is not empty");
        still.host.advance(StillMely.STUCK_NANOS);
        parks++;
      }
    }
    assertEquals(List.of("timer@1"), ran.list, "after " + parks + " looks at core 0");
  }

  /**
   * <a href="https://github.com/typelevel/cats-effect/issues/4448">cats-effect #4448</a>: a worker
   * that had not been counted as searching counted itself out, the count went below zero, and
   * nobody was ever woken again. Here a worker that wakes up is told whether it was called, by the
   * very compare-and-set that called it, and remembers for itself whether it counts.
   */
  @ParameterizedTest
  @ValueSource(strings = {"timer", "event", "call", "call and event", "call and timer", "nothing"})
  void catsEffect4448CountOfSearchersAfterAnyWakeUp(String reason) {
    StillMely still = busyCore0(2, StealPolicy.TIME_LEFT);
    for (int round = 0; round < 3; round++) {
      if (reason.contains("timer")) {
        still.mely.schedule(still.mely.newColor(1), ran.noteAt(still), "t", Duration.ofNanos(5));
      }
      still.run(1);
      still.step(1); // asleep
      still.host.advance(10);
      if (reason.contains("call")) {
        assertTrue(still.scheduler.idle.callThief(still.core(0), neighborsOf(still, 0)));
      }
      if (reason.contains("event")) {
        ran.post(still, still.mely.newColor(1), "e");
      }
      for (int i = 0; i < STEPS; i++) {
        int searching = still.scheduler.idle.searching();
        assertTrue(searching == 0 || searching == 1, "searching: " + searching);
        if (still.step(1) == WorkerState.PARK) {
          break;
        }
      }
      assertEquals(0, still.scheduler.idle.searching(), "at rest");
      assertEquals(1, still.scheduler.idle.idle(), "core 1 alone");
    }
    still.step(1);
    quiet(still, 1);
    ran.post(still, still.mely.newColor(0), "worth a thief");
    runUnlessAsleep(still, 1, reason);
  }

  /**
   * <a href="https://github.com/typelevel/cats-effect/issues/4674">cats-effect #4674</a>: a steal
   * that began and never ended left its tag in the queue, which nobody could steal from again. Here
   * a thief leaves no mark on its victim: wherever it stops for good, others run all colors but the
   * one that it has claimed.
   */
  @ParameterizedTest
  @ValueSource(strings = {"time-left", "penalty", "all"})
  void catsEffect4674ThiefThatNeverComesBack(String policy) {
    boolean claimed = false;
    for (int at = 0; at < STEPS && !claimed; at++) {
      ran.list.clear();
      StillMely still = new StillMely(3, StealPolicy.parse(policy));
      for (String name : List.of("a", "b", "c", "d")) {
        ran.post(still, still.mely.newColor(0), name);
      }
      for (int i = 0; i < at && still.core(1).batch.color() == null; i++) {
        still.step(1);
      }
      claimed = still.core(1).batch.color() != null;
      still.stepTo(2, WorkerState.RUN); // another thief still can
      for (int i = 0; i < 4 * STEPS; i++) {
        still.step(0);
        still.step(2);
      }
      assertEquals(
          claimed ? 3 : 4, ran.list.size(), "thief stops after " + at + " steps: " + ran.list);
    }
    assertTrue(claimed, "the thief never won");
  }

  // ---- Go

  /**
   * Go, {@code proc.go}, "delicate dance": a thread that stops spinning must drop the count of
   * spinners before it looks at all queues once more, else work that comes in between wakes nobody.
   * The same for its own queue here: at no point may an event fall between the last look and the
   * sleep.
   */
  @ParameterizedTest
  @ValueSource(strings = {"off", "base", "locality", "time-left", "penalty", "all"})
  void goDelicateDanceWithAnEvent(String policy) {
    for (int at = 0; at < STEPS; at++) {
      StillMely still = new StillMely(2, StealPolicy.parse(policy));
      int steps = descend(still, 0, at);
      ran.post(still, still.mely.newPinnedColor(0), "event");
      runUnlessAsleep(still, 0, "after " + steps + " steps");
      if (steps < at) {
        return;
      }
    }
    throw new AssertionError("core 0 never came to rest");
  }

  /**
   * Go, {@code proc.go}: a thread on its way to sleep has computed how long, when another adds a
   * timer that is due earlier. Here the deadline is read after the worker has said that it parks,
   * and the thread that adds an earlier one looks for parked workers.
   */
  @Test
  void goDelicateDanceWithATimer() {
    for (int at = 0; at < STEPS; at++) {
      StillMely still = new StillMely(1, StealPolicy.OFF);
      Color color = still.mely.newColor();
      still.mely.schedule(color, ran.noteAt(still), "late", Duration.ofSeconds(60));
      int steps = descend(still, 0, at);
      quiet(still, 0);
      still.mely.schedule(color, ran.noteAt(still), "early", Duration.ofMillis(1));
      if (still.worker(0).state() != WorkerState.WAKE) {
        still.stepTo(0, WorkerState.WAKE);
      }
      boolean woken = still.host.poller(0).wakeups > 0;
      boolean shortSleep = still.host.poller(0).lastWait() <= 1_000_000;
      assertTrue(woken || shortSleep, "sleeps on, after " + steps + " steps");
      if (steps < at) {
        return;
      }
    }
    throw new AssertionError("core 0 never came to rest");
  }

  // ---- How these situations are built

  /** A runtime whose core 0 is inside a color. */
  private static StillMely busyCore0(int cores, StealPolicy policy) {
    StillMely still = new StillMely(cores, policy);
    still.mely.register(still.mely.newColor(0), Handler.of(e -> {}), "keeps core 0 busy");
    still.stepTo(0, WorkerState.RUN);
    return still;
  }

  /** So many steps of a worker towards its sleep, or fewer if it sleeps before. */
  private static int descend(StillMely still, int core, int steps) {
    int done = 0;
    while (done < steps && still.worker(core).state() != WorkerState.WAKE) {
      still.step(core);
      done++;
    }
    quiet(still, core);
    return done;
  }

  private static void quiet(StillMely still, int core) {
    still.host.poller(core).wakeups = 0;
  }

  /** The worker runs something, and sleeps before only if it has been woken already. */
  private void runUnlessAsleep(StillMely still, int core, String when) {
    int before = ran.list.size();
    for (int i = 0; i < STEPS && ran.list.size() == before; i++) {
      int state = still.worker(core).state();
      boolean sleeps = state == WorkerState.PARK || state == WorkerState.WAKE;
      if (sleeps && still.host.poller(core).wakeups == 0) {
        throw new AssertionError("core " + core + " sleeps, and nobody wakes it, " + when);
      }
      if (state == WorkerState.WAKE) {
        quiet(still, core);
      }
      still.step(core);
    }
    assertNotEquals(before, ran.list.size(), "core " + core + " does not run it, " + when);
  }

  private static Core[] neighborsOf(StillMely still, int core) {
    return still.scheduler.neighbors(still.core(core));
  }
}
