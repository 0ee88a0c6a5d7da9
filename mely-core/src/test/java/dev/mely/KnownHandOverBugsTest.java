package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * As {@link KnownBugsTest}: bugs of other runtimes in handing a color, or what stands for it there,
 * from one thread to another.
 */
class KnownHandOverBugsTest {
  /** No way from one state to another is longer here. */
  private static final int STEPS = 40;

  private final RanWhere ran = new RanWhere();

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
                  ran.list.add(e + "@" + still.mely.inspect().currentCore());
                  still.mely.register(color, ran.noteAt(still), "private 1");
                  still.mely.register(color, ran.noteAt(still), "private 2");
                  throw new AssertionError("and gives up");
                })
            .cost(RanWhere.COST)
            .penalty(1);
    still.mely.register(color, own, "root");
    keepBusy(still, 0);
    still.stepTo(0, WorkerState.RUN);
    still.stepTo(0, WorkerState.FINISH);
    still.step(0); // the batch is over, the color waits again
    still.stepTo(1, WorkerState.RUN);
    assertEquals(1, color.core(), "stolen");
    runBoth(still);
    assertEquals(3, ran.list.size(), ran.list::toString);
    assertEquals("root@0", ran.list.get(0));
    assertEquals("private 1@1", ran.list.get(1));
    assertTrue(ran.list.get(2).startsWith("private 2"), ran.list::toString);
  }

  /** Gives a core something else to run: it would keep a color that is alone. */
  private static void keepBusy(StillMely still, int core) {
    Color other = still.mely.newPinnedColor(core);
    for (int i = 0; i < STEPS; i++) {
      still.mely.register(other, Handler.of(e -> {}), i);
    }
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
                  int here = still.mely.inspect().currentCore();
                  assertTrue(color.isCurrent());
                  assertTrue(color.isRunBy(still.host.thread(here)));
                  assertFalse(color.isRunBy(still.host.thread(1 - here)));
                  ran.list.add("@" + here);
                })
            .cost(RanWhere.COST)
            .penalty(1);
    for (int i = 0; i < 8; i++) {
      still.mely.register(color, handler, i);
    }
    keepBusy(still, 0);
    for (int i = 0; i < 20 * STEPS && ran.list.size() < 8; i++) {
      still.step(i / 3 % 2); // no worker can keep the color
      checkWhoRuns(still, color);
    }
    assertEquals(List.of(), still.errors);
    assertEquals(8, ran.list.size());
    assertTrue(
        ran.list.contains("@0") && ran.list.contains("@1"),
        "it was never handed over: " + ran.list);
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
              still.mely.register(color, ran.noteAt(still), pending);
              try {
                still.mely.register(color, ran.noteAt(still), pending);
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
    ran.list.clear();
    StillMely still = new StillMely(2, policy, 1);
    Color color = still.mely.newColor(0);
    ran.post(still, color, "1");
    ran.post(still, color, "2");
    still.mely.register(
        still.mely.newColor(0), Handler.of(e -> {}).cost(RanWhere.COST).penalty(1), "other");
    Event third = new Envelope("3");
    third.attach(ran.noteAt(still));
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
      Color held = still.core(0).batch.color();
      if (held != null) {
        assertNotEquals(held, still.core(1).batch.color(), "both run one color");
      }
    }
    String what = policy + ", swap at " + swapAt + ", link at " + linkAt;
    assertEquals(List.of("1", "2", "3"), names(), what);
    assertEquals(List.of(), still.errors, what);
  }

  // ---- How these situations are built

  private static void runBoth(StillMely still) {
    for (int i = 0; i < 4 * STEPS; i++) {
      still.step(i % 2);
    }
  }

  private List<String> names() {
    return ran.list.stream().map(name -> name.substring(0, name.indexOf('@'))).toList();
  }

  private static void checkWhoRuns(StillMely still, Color color) {
    for (int core = 0; core < 2; core++) {
      boolean[] current = new boolean[1];
      still.host.as(core, () -> current[0] = color.isCurrent());
      boolean holds = still.core(core).batch.color() == color;
      assertEquals(holds, current[0], "core " + core);
      assertEquals(holds, color.isRunBy(still.host.thread(core)), "core " + core);
    }
    assertFalse(color.isCurrent(), "this thread is no worker");
  }
}
