package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.report.Statistics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** One worker, step by step (requirements A4, B1, B8, B12, B13). */
class WorkerTest {
  private final List<Object> ran = new ArrayList<>();

  @Test
  void atMostTenEventsOfAColorRunInARow() {
    StillMely still = new StillMely(1, StealPolicy.OFF);
    Handler<Object> note = Handler.of(ran::add).cost(Duration.ofNanos(1)).penalty(1);
    Color a = still.mely.newColor();
    Color b = still.mely.newColor();
    for (int i = 0; i < 25; i++) {
      still.mely.register(a, note, "a");
    }
    still.mely.register(b, note, "b");
    still.run(0);
    assertEquals(26, ran.size());
    assertEquals(10, ran.indexOf("b"));
    assertEquals(4, still.mely.inspect().statistics().total().batches());
  }

  @Test
  void colorsTakeTurns() {
    StillMely still = new StillMely(1, StealPolicy.OFF, 2);
    Handler<Object> note = Handler.of(ran::add).cost(Duration.ofNanos(1)).penalty(1);
    for (String name : List.of("a", "b", "c")) {
      Color color = still.mely.newColor();
      for (int i = 0; i < 4; i++) {
        still.mely.register(color, note, name);
      }
    }
    still.run(0);
    assertEquals("aabbccaabbcc", String.join("", ran.toArray(new String[0])));
  }

  /** Ten handlers of ten milliseconds are no batch. */
  @Test
  void batchIsBoundedInTimeToo() {
    StillMely still = new StillMely(1, StealPolicy.OFF);
    Handler<Object> slow =
        Handler.of(
            e -> {
              ran.add(e);
              still.host.advance(StillMely.BATCH_NANOS / 2);
            });
    Color a = still.mely.newColor();
    Color b = still.mely.newColor();
    for (int i = 0; i < 6; i++) {
      still.mely.register(a, slow, "a");
      still.mely.register(b, slow, "b");
    }
    still.run(0);
    assertEquals("aabbaabbaabb", String.join("", ran.toArray(new String[0])));
  }

  @Test
  void eventsOfOtherColorsThatAHandlerRegistersWaitTheirTurn() {
    StillMely still = new StillMely(1, StealPolicy.OFF);
    Color a = still.mely.newColor();
    Color b = still.mely.newColor();
    Handler<Object> note = Handler.of(ran::add);
    Handler<Object> root =
        Handler.of(
            e -> {
              ran.add("root");
              still.mely.register(b, note, "other color");
              still.mely.register(a, note, "own color");
              assertFalse(b.isCurrent());
            });
    still.mely.register(a, root, "event");
    still.run(0);
    assertEquals(List.of("root", "own color", "other color"), ran);
  }

  @Test
  void handlersAreMeasured() {
    StillMely still = new StillMely(1, StealPolicy.ALL);
    Handler<Object> handler = Handler.of(e -> still.host.advance(3_000));
    for (int i = 0; i < 50; i++) {
      still.mely.register(still.mely.newColor(), handler, i);
    }
    still.run(0);
    assertEquals(3_000, handler.costNanos());
  }

  /** Even when nothing but long queues of cheap events keeps the core busy. */
  @Test
  void dueTimersAreFoundBetweenBatches() {
    StillMely still = new StillMely(1, StealPolicy.OFF);
    Color busy = still.mely.newColor();
    Handler<Object> endless =
        new Handler<>(Work.MEASURED.cost(Duration.ofNanos(1_000)).penalty(1)) {
          @Override
          public void handle(Object event) {
            still.host.advance(1_000);
            still.mely.register(busy, this, event);
          }
        };
    Handler<Object> note = Handler.of(e -> ran.add(e));
    still.mely.schedule(still.mely.newColor(), note, "timer", Duration.ofNanos(100_000));
    still.mely.register(busy, endless, "event");
    for (int i = 0; i < 2_000 && ran.isEmpty(); i++) {
      still.step(0);
    }
    assertEquals(List.of("timer"), ran);
  }

  @Test
  void pollerIsAskedBetweenBatches() {
    StillMely still = new StillMely(1, StealPolicy.OFF);
    Color busy = still.mely.newColor();
    Handler<Object> endless =
        new Handler<>() {
          @Override
          public void handle(Object event) {
            still.host.advance(100_000);
            still.mely.register(busy, this, event);
          }
        };
    still.mely.register(busy, endless, "event");
    for (int i = 0; i < 100; i++) {
      still.step(0);
    }
    List<Long> waits = still.host.poller(0).waits;
    assertTrue(waits.size() >= 5, "polled " + waits.size() + " times");
    assertTrue(waits.stream().allMatch(wait -> wait == 0), "never waits: " + waits);
  }

  /** It comes when the worker has found nothing, but has not yet said that it sleeps. */
  @Test
  void workerLooksAgainBeforeItSleeps() {
    for (StealPolicy policy : StealPolicyTest.VALID) {
      StillMely still = new StillMely(1, policy);
      still.stepTo(0, WorkerState.PUBLISH);
      still.mely.register(still.mely.newColor(), Handler.of(ran::add), policy);
      assertEquals(0, still.host.poller(0).wakeups, "it is awake");
      runWithoutSleep(still, 0);
    }
    assertEquals(StealPolicyTest.VALID, ran);
  }

  @Test
  void eventThatComesJustBeforeTheSleepWakesTheWorker() {
    StillMely still = new StillMely(1, StealPolicy.OFF);
    still.run(0);
    int before = still.host.poller(0).wakeups;
    still.mely.register(still.mely.newColor(), Handler.of(ran::add), "event");
    assertEquals(before + 1, still.host.poller(0).wakeups);
    still.run(0);
    assertEquals(List.of("event"), ran);
  }

  /** Nobody calls a thief while one searches; so the last searcher looks again (Tokio #1788). */
  @Test
  void workThatComesWhileTheLastSearcherGivesUpIsStolen() {
    for (StealPolicy policy : List.of(StealPolicy.TIME_LEFT, StealPolicy.BASE, StealPolicy.ALL)) {
      ran.clear();
      StillMely still = new StillMely(2, policy);
      Duration cost = Duration.ofMillis(1);
      Handler<Object> work =
          Handler.of(e -> ran.add(still.mely.inspect().currentCore())).cost(cost).penalty(1);
      still.mely.register(still.mely.newColor(0), Handler.of(e -> {}), "keeps core 0 busy");
      still.stepTo(0, WorkerState.RUN);
      still.stepTo(1, WorkerState.PUBLISH);
      still.mely.register(still.mely.newColor(0), work, "event");
      still.mely.register(still.mely.newColor(0), work, "event");
      assertEquals(0, still.host.poller(1).wakeups, "it is awake");
      runWithoutSleep(still, 1);
      assertTrue(ran.contains(1), policy::toString);
    }
  }

  // ---- Affinity (A4)

  /** What a handler registers under its own color runs while its data is in the cache. */
  @Test
  void chainWithinAColorRunsInOneBatch() {
    StillMely still = new StillMely(1, StealPolicy.OFF);
    Color a = still.mely.newColor();
    Color b = still.mely.newColor();
    Handler<Object> note = Handler.of(ran::add).cost(Duration.ofNanos(1)).penalty(1);
    Handler<Integer> chain =
        new Handler<>(Work.MEASURED.cost(Duration.ofNanos(1)).penalty(1)) {
          @Override
          public void handle(Integer left) {
            ran.add("a");
            if (left > 0) {
              still.mely.register(a, this, left - 1);
            }
          }
        };
    still.mely.register(a, chain, 12);
    for (int i = 0; i < 2; i++) {
      still.mely.register(b, note, "b");
    }
    still.run(0);
    assertEquals("aaaaaaaaaabbaaa", text());
  }

  /** The debug switch moves a color after every batch: none is kept until the next poll. */
  @Test
  void loneColorMigratesToo() {
    SettingsBuilder settings = new SettingsBuilder();
    settings.cores = 2;
    settings.policy = StealPolicy.OFF;
    settings.batch = 1;
    settings.randomMigration = true;
    StillMely still = new StillMely(settings);
    Color alone = still.mely.newColor(0);
    for (int i = 0; i < 12; i++) {
      still.mely.register(alone, Handler.of(e -> {}), i);
    }
    while (alone.pending() > 0) {
      still.runAll();
    }
    for (Statistics.PerCore core : still.mely.inspect().statistics().cores()) {
      assertTrue(core.events() > 0, core + " has never had the color");
    }
  }

  // ---- Cheapest first (B13)

  @Test
  void cheapColorsGoFirst() {
    StillMely still = ordered(StealPolicy.ALL);
    for (int i = 0; i < 3; i++) {
      for (String name : List.of("heavy", "middle", "light")) {
        still.mely.register(still.mely.newColor(), costs(name), name.substring(0, 1));
      }
    }
    still.run(0);
    assertEquals("lllmmmhhh", text());
  }

  /** What counts is the batch, not the event: ten light events that wait are not cheap. */
  @Test
  void manyCheapEventsAreABatchThatIsNotCheap() {
    StillMely still = ordered(StealPolicy.ALL);
    Color many = still.mely.newColor();
    for (int i = 0; i < 20; i++) {
      still.mely.register(many, costs("light"), "l");
    }
    still.stepTo(0, WorkerState.FINISH);
    assertEquals(10, count("l"), "it woke up with one event, which is cheap");
    still.mely.register(still.mely.newColor(), costs("middle"), "m");
    still.run(0);
    assertEquals("llllllllllmllllllllll", text());
  }

  /** Light colors without end. */
  @Test
  void heavyColorsAreNotStarved() {
    StillMely still = ordered(StealPolicy.OFF);
    for (int i = 0; i < 2; i++) {
      Color color = still.mely.newColor();
      Handler<Object> endless =
          new Handler<>(Work.MEASURED.cost(Duration.ofNanos(2_000)).penalty(1)) {
            @Override
            public void handle(Object event) {
              ran.add("l");
              still.mely.register(color, this, event);
            }
          };
      for (int k = 0; k < 20; k++) {
        still.mely.register(color, endless, k);
      }
    }
    for (int i = 0; i < 2; i++) {
      still.mely.register(still.mely.newColor(), costs("heavy"), "h");
    }
    int batches = 2 * Turns.max(true);
    while (count("h") < 2 && still.mely.inspect().statistics().total().batches() <= batches) {
      still.step(0);
    }
    assertEquals(2, count("h"), "heavy events in " + batches + " batches");
    assertTrue(count("l") > 100, "light ones go first: " + count("l"));
  }

  // ---- Stuck cores

  /** A core that has colors of its own gives every second turn to those of one that is stuck. */
  @Test
  void busyWorkerLooksAfterAStuckCoreInTurns() {
    for (StealPolicy policy : List.of(StealPolicy.BASE, StealPolicy.TIME_LEFT, StealPolicy.ALL)) {
      ran.clear();
      StillMely still = stuckBesideBusy(policy);
      Handler<Object> theirs = note("t");
      List<Color> waiting = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        Color color = still.mely.newColor(0);
        waiting.add(color);
        still.mely.register(color, theirs, i);
      }
      Color pinned = still.mely.newPinnedColor(0);
      still.mely.register(pinned, note("pinned"), 1);
      for (int i = 0; i < 5_000 && count("t") < 20; i++) {
        still.step(1);
      }
      assertEquals(20, count("t"), () -> policy + ": " + text());
      String text = text();
      assertFalse(text.contains("tt"), () -> policy + ": its own colors have their turns: " + text);
      String turns = text.substring(text.indexOf('t'), text.lastIndexOf('t') + 1);
      assertEquals("t" + "ot".repeat(19), turns, policy::toString);
      assertEquals(20, still.mely.inspect().statistics().cores().get(1).takeovers());
      assertTrue(waiting.stream().allMatch(color -> color.core() == 1));
      assertTrue(pinned.isQueuedAt(0));
    }
  }

  /** A core that is merely busy is left alone by those that have something to do. */
  @Test
  void busyWorkerTakesNothingFromABusyCore() {
    StillMely still = stuckBesideBusy(StealPolicy.ALL);
    for (int i = 0; i < 20; i++) {
      still.mely.register(still.mely.newColor(0), note("t"), i);
    }
    // Core 0 moves on between any two looks of core 1.
    for (int i = 0; i < 100; i++) {
      still.mely.register(still.mely.newPinnedColor(0), note("p"), i);
      still.stepTo(0, WorkerState.FINISH);
      still.stepTo(1, WorkerState.FINISH);
      still.stepTo(0, WorkerState.RUN);
    }
    assertEquals(0, still.mely.inspect().statistics().cores().get(1).colorsStolen());
  }

  /** Core 0 is in a handler for good; core 1 has two colors that never end ("o"). */
  private StillMely stuckBesideBusy(StealPolicy policy) {
    StillMely still = new StillMely(2, policy, 1);
    still.mely.register(still.mely.newColor(0), Handler.of(e -> {}), "stuck");
    still.stepTo(0, WorkerState.RUN);
    for (int i = 0; i < 2; i++) {
      Color color = still.mely.newPinnedColor(1);
      Handler<Object> endless =
          new Handler<>() {
            @Override
            public void handle(Object event) {
              ran.add("o");
              still.host.advance(StillMely.STUCK_NANOS);
              still.mely.register(color, this, event);
            }
          };
      still.mely.register(color, endless, i);
    }
    return still;
  }

  private Handler<Object> note(String text) {
    return Handler.of(e -> ran.add(text)).cost(Duration.ofNanos(1)).penalty(1);
  }

  /** By the lanes of {@link TurnOrder}. */
  private Handler<Object> costs(String weight) {
    long nanos = weight.equals("light") ? 2_000 : weight.equals("middle") ? 10_000 : 1_000_000;
    return Handler.of(ran::add).cost(Duration.ofNanos(nanos)).penalty(1);
  }

  private static StillMely ordered(StealPolicy policy) {
    SettingsBuilder settings = new SettingsBuilder();
    settings.policy = policy;
    settings.order = MelyBuilder.Order.CHEAPEST_FIRST;
    return new StillMely(settings);
  }

  private String text() {
    return ran.stream().map(Object::toString).collect(Collectors.joining());
  }

  private int count(String text) {
    return Collections.frequency(ran, text);
  }

  private void runWithoutSleep(StillMely still, int core) {
    int before = ran.size();
    for (int i = 0; i < 1_000 && ran.size() == before; i++) {
      assertNotEquals(WorkerState.PARK, still.step(core), "it wants to sleep");
    }
  }
}
