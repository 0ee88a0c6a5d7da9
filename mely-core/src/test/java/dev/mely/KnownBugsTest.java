package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Bugs that other runtimes of this kind have had, each as a test: the situation that failed there,
 * built step by step from the real classes, with the other side's action at <em>every</em> point
 * where it could fall. {@link KnownBugsMutantTest} shows that these tests can fail.
 */
class KnownBugsTest {
  private static final Duration COST = Duration.ofMillis(1);

  /** No way from one state to another is longer here. */
  private static final int STEPS = 40;

  private final List<String> ran = new ArrayList<>();

  // ---- Tokio

  /**
   * <a href="https://github.com/tokio-rs/tokio/pull/1788">Tokio #1788</a>: a producer saw that a
   * worker searched and woke nobody; that worker had looked at the queue just before, and parked.
   * Here a worker says that it parks, counts itself out of the searching, and then looks again, at
   * its victims too; whoever queues a color looks who is parked after that.
   */
  @ParameterizedTest
  @ValueSource(strings = {"base", "time-left", "all"})
  void tokio1788WorkThatComesWhileTheLastSearcherParks(String policy) {
    for (int at = 0; at < STEPS; at++) {
      StillMely still = busyCore0(2, StealPolicy.parse(policy));
      int steps = descend(still, 1, at);
      for (String name : List.of("a", "b", "c", "d", "e")) {
        post(still, still.mely.newColor(0), name);
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
      post(still, still.mely.newColor(0), "first");
      assertEquals(1, still.host.poller(1).wakeups);
      assertEquals(0, still.host.poller(2).wakeups, "one thief is enough");
      int worked = 0;
      for (; worked < at && still.core(1).worker().held() == null; worked++) {
        still.step(1);
      }
      found = still.core(1).worker().held() != null;
      post(still, still.mely.newColor(0), "second");
      if (!found) {
        still.stepTo(1, Worker.RUN);
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
    still.mely.schedule(color, note(), "timer", Duration.ofMillis(1));
    assertTrue(color.moveTo(1), "its timer stays behind at core 0");
    still.mely.register(still.mely.newColor(0), Handler.of(e -> {}), "never ends");
    still.stepTo(0, Worker.RUN);
    still.run(1);
    still.host.advance(2_000_000);
    int parks = 0;
    for (int i = 0; ran.isEmpty() && i < 20 * STEPS; i++) {
      if (still.step(1) == Worker.PARK) {
        assertTrue(still.core(1).queue.isEmpty(), "it parks, but its queue is not empty");
        still.host.advance(StillMely.WATCH_NANOS);
        parks++;
      }
    }
    assertEquals(List.of("timer@1"), ran, "after " + parks + " looks at core 0");
  }

  /**
   * <a href="https://github.com/typelevel/cats-effect/pull/3444">cats-effect #3444</a>: a fiber in
   * a worker's private slot was lost when the worker gave its place away. What is private here
   * (events of the running color, registered by its own handler) belongs to the color, not to the
   * worker, and goes wherever the color goes.
   */
  @Test
  void catsEffect3444PrivateEventsGoWithTheColor() {
    StillMely still = new StillMely(2, StealPolicy.TIME_LEFT, 1);
    Color color = still.mely.newColor(0);
    Handler<Object> own =
        Handler.of(
            e -> {
              ran.add(e + "@" + still.mely.currentCore());
              still.mely.register(color, noteAt(still), "private 1");
              still.mely.register(color, noteAt(still), "private 2");
              throw new AssertionError("and gives up");
            },
            COST,
            1);
    still.mely.register(color, own, "root");
    still.stepTo(0, Worker.RUN);
    still.stepTo(0, Worker.FINISH);
    still.step(0); // the batch is over, the color waits again
    still.stepTo(1, Worker.RUN);
    assertEquals(1, color.core(), "stolen");
    runBoth(still);
    assertEquals(3, ran.size(), ran::toString);
    assertEquals("root@0", ran.get(0));
    assertEquals("private 1@1", ran.get(1));
    assertTrue(ran.get(2).startsWith("private 2"), ran::toString);
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
        still.mely.schedule(still.mely.newColor(1), note(), "t", Duration.ofNanos(5));
      }
      still.run(1);
      still.step(1); // asleep
      still.host.advance(10);
      if (reason.contains("call")) {
        assertTrue(still.scheduler.idle.callThief(still.core(0), neighborsOf(still, 0)));
      }
      if (reason.contains("event")) {
        post(still, still.mely.newColor(1), "e");
      }
      for (int i = 0; i < STEPS; i++) {
        int searching = still.scheduler.idle.searching();
        assertTrue(searching == 0 || searching == 1, "searching: " + searching);
        if (still.step(1) == Worker.PARK) {
          break;
        }
      }
      assertEquals(0, still.scheduler.idle.searching(), "at rest");
      assertEquals(1, still.scheduler.idle.idle(), "core 1 alone");
    }
    still.step(1);
    quiet(still, 1);
    post(still, still.mely.newColor(0), "worth a thief");
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
      ran.clear();
      StillMely still = new StillMely(3, StealPolicy.parse(policy));
      for (String name : List.of("a", "b", "c", "d")) {
        post(still, still.mely.newColor(0), name);
      }
      for (int i = 0; i < at && still.core(1).worker().held() == null; i++) {
        still.step(1);
      }
      claimed = still.core(1).worker().held() != null;
      still.stepTo(2, Worker.RUN); // another thief still can
      for (int i = 0; i < 4 * STEPS; i++) {
        still.step(0);
        still.step(2);
      }
      assertEquals(claimed ? 3 : 4, ran.size(), "thief stops after " + at + " steps: " + ran);
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
      post(still, still.mely.newPinnedColor(0), "event");
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
   * and whoever adds an earlier one looks who is parked.
   */
  @Test
  void goDelicateDanceWithATimer() {
    for (int at = 0; at < STEPS; at++) {
      StillMely still = new StillMely(1, StealPolicy.OFF);
      Color color = still.mely.newColor();
      still.mely.schedule(color, note(), "late", Duration.ofSeconds(60));
      int steps = descend(still, 0, at);
      quiet(still, 0);
      still.mely.schedule(color, note(), "early", Duration.ofMillis(1));
      if (still.core(0).worker().state() != Worker.WAKE) {
        still.stepTo(0, Worker.WAKE);
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

  // ---- Netty

  /**
   * <a href="https://github.com/netty/netty/pull/13233">Netty #13233</a> and <a
   * href="https://github.com/netty/netty/pull/13237">#13237</a>: {@code inEventLoop()} of the
   * non-sticky executor was wrong around hand-over: the old thread forgot who executes after the
   * new one had written itself down. Here who runs a color is one word with its state, written by
   * one compare-and-set, and the old core does not touch it again.
   */
  @Test
  void netty13233WhoRunsAColorAroundEachHandOver() {
    StillMely still = new StillMely(2, StealPolicy.TIME_LEFT, 1);
    Color color = still.mely.newColor(0);
    Handler<Object> handler =
        Handler.of(
            e -> {
              int here = still.mely.currentCore();
              assertTrue(color.isCurrent());
              assertTrue(color.isRunBy(still.core(here).startedThread()));
              assertFalse(color.isRunBy(still.core(1 - here).startedThread()));
              ran.add("@" + here);
            },
            COST,
            1);
    for (int i = 0; i < 8; i++) {
      still.mely.register(color, handler, i);
    }
    for (int i = 0; i < 20 * STEPS && ran.size() < 8; i++) {
      still.step(i / 3 % 2); // no worker can keep the color
      checkWhoRuns(still, color);
    }
    assertEquals(List.of(), still.errors);
    assertEquals(8, ran.size());
    assertTrue(ran.contains("@0") && ran.contains("@1"), "it was never handed over: " + ran);
  }

  /**
   * <a href="https://github.com/netty/netty/pull/15927">Netty #15927</a>: the executor gave up its
   * thread before it rescheduled itself, the rescheduling failed, and it went on without. Here
   * nothing is rescheduled inside a batch: a handler that throws anything, or that registers what
   * is refused, is still inside its color, and so is the next event.
   */
  @Test
  void netty15927WhoRunsAColorAfterAFailure() {
    StillMely still = new StillMely(1, StealPolicy.ALL);
    Color color = still.mely.newColor(0);
    Event pending = new Event() {};
    List<Boolean> inside = new ArrayList<>();
    Handler<Object> failing =
        Handler.of(
            e -> {
              inside.add(color.isCurrent());
              still.mely.register(color, note(), pending);
              try {
                still.mely.register(color, note(), pending);
              } catch (IllegalStateException refused) {
                inside.add(color.isCurrent());
              }
              throw new StackOverflowError("planted");
            });
    still.mely.register(color, failing, "first");
    still.mely.register(color, Handler.of(e -> inside.add(color.isCurrent())), "second");
    still.run(0);
    assertEquals(List.of(true, true, true), inside);
    assertEquals(1, still.errors.size());
    assertFalse(color.isCurrent());
  }

  // ---- Mely itself

  /**
   * Figure 2 of the Mely paper: the thief unlocks the victim before it locks its own queue, and a
   * producer in between finds the color at the old core. Here one compare-and-set both takes and
   * moves the color; a registration whose two halves fall at any two points of a steal changes
   * neither order nor exclusion (requirement B10).
   */
  @ParameterizedTest
  @ValueSource(strings = {"base", "time-left", "all"})
  void melyFigure2ProducerBetweenVictimAndThief(String policy) {
    for (int swapAt = 0; swapAt < STEPS; swapAt++) {
      for (int linkAt = swapAt; linkAt < STEPS; linkAt += 1 + (linkAt - swapAt) / 3) {
        registerInAStep(StealPolicy.parse(policy), swapAt, linkAt);
      }
    }
  }

  private void registerInAStep(StealPolicy policy, int swapAt, int linkAt) {
    ran.clear();
    StillMely still = new StillMely(2, policy, 1);
    Color color = still.mely.newColor(0);
    post(still, color, "1");
    post(still, color, "2");
    still.mely.register(still.mely.newColor(0), Handler.of(e -> {}, COST, 1), "other");
    Event third = new Envelope("3");
    third.attach(note());
    Object previous = null;
    for (int i = 0; i < 3 * STEPS; i++) {
      if (i == swapAt) {
        previous = color.swap(third);
      }
      if (i == linkAt) {
        color.link(previous, third);
        long weight = still.scheduler.weigh(third);
        if (previous == null) {
          Core home = still.scheduler.prepare(color, weight);
          still.scheduler.place(color, home);
          still.scheduler.announce(color, home, weight);
        } else {
          still.scheduler.gained(color, weight);
        }
      }
      still.step(1 - i % 2);
      Color held = still.core(0).worker().held();
      if (held != null) {
        assertNotEquals(held, still.core(1).worker().held(), "both run one color");
      }
    }
    String what = policy + ", swap at " + swapAt + ", link at " + linkAt;
    assertEquals(List.of("1", "2", "3"), names(), what);
    assertEquals(List.of(), still.errors, what);
  }

  // ---- How these situations are built

  /** A runtime whose core 0 is inside a color. */
  private static StillMely busyCore0(int cores, StealPolicy policy) {
    StillMely still = new StillMely(cores, policy);
    still.mely.register(still.mely.newColor(0), Handler.of(e -> {}), "keeps core 0 busy");
    still.stepTo(0, Worker.RUN);
    return still;
  }

  /** So many steps of a worker towards its sleep, or fewer if it sleeps before. */
  private static int descend(StillMely still, int core, int steps) {
    int done = 0;
    while (done < steps && still.core(core).worker().state() != Worker.WAKE) {
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
    int before = ran.size();
    for (int i = 0; i < STEPS && ran.size() == before; i++) {
      int state = still.core(core).worker().state();
      boolean sleeps = state == Worker.PARK || state == Worker.WAKE;
      if (sleeps && still.host.poller(core).wakeups == 0) {
        throw new AssertionError("core " + core + " sleeps, and nobody wakes it, " + when);
      }
      if (state == Worker.WAKE) {
        quiet(still, core);
      }
      still.step(core);
    }
    assertNotEquals(before, ran.size(), "core " + core + " does not run it, " + when);
  }

  private static void runBoth(StillMely still) {
    for (int i = 0; i < 4 * STEPS; i++) {
      still.step(i % 2);
    }
  }

  private void post(StillMely still, Color color, String name) {
    still.mely.register(color, noteAt(still), name);
  }

  private Handler<Object> noteAt(StillMely still) {
    return Handler.of(e -> ran.add(e + "@" + still.mely.currentCore()), COST, 1);
  }

  private Handler<Object> note() {
    return Handler.of(e -> ran.add(e + "@1"), COST, 1);
  }

  private List<String> names() {
    return ran.stream().map(name -> name.substring(0, name.indexOf('@'))).toList();
  }

  private static Core[] neighborsOf(StillMely still, int core) {
    return still.scheduler.neighbors(still.core(core));
  }

  private static void checkWhoRuns(StillMely still, Color color) {
    for (int core = 0; core < 2; core++) {
      boolean[] current = new boolean[1];
      still.host.as(core, () -> current[0] = color.isCurrent());
      boolean holds = still.core(core).worker().held() == color;
      assertEquals(holds, current[0], "core " + core);
      assertEquals(holds, color.isRunBy(still.core(core).startedThread()), "core " + core);
    }
    assertFalse(color.isCurrent(), "this thread is no worker");
  }
}
