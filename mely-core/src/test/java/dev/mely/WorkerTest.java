package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** One worker, step by step (requirements B1, B8; A4). */
class WorkerTest {
  private final List<Object> ran = new ArrayList<>();

  @Test
  void atMostTenEventsOfAColorRunInARow() {
    StillMely still = new StillMely(1, StealPolicy.OFF);
    Handler<Object> note = Handler.of(ran::add, Duration.ofNanos(1), 1);
    Color a = still.mely.newColor();
    Color b = still.mely.newColor();
    for (int i = 0; i < 25; i++) {
      still.mely.register(a, note, "a");
    }
    still.mely.register(b, note, "b");
    still.run(0);
    assertEquals(26, ran.size());
    assertEquals(10, ran.indexOf("b"));
    assertEquals(4, still.mely.statistics().total().batches());
  }

  @Test
  void colorsTakeTurns() {
    StillMely still = new StillMely(1, StealPolicy.OFF, 2);
    Handler<Object> note = Handler.of(ran::add, Duration.ofNanos(1), 1);
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
        new Handler<>(Duration.ofNanos(1_000), 1) {
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
      still.stepTo(0, Worker.PUBLISH);
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
      Handler<Object> work = Handler.of(e -> ran.add(still.mely.currentCore()), cost, 1);
      still.mely.register(still.mely.newColor(0), Handler.of(e -> {}), "keeps core 0 busy");
      still.stepTo(0, Worker.RUN);
      still.stepTo(1, Worker.PUBLISH);
      still.mely.register(still.mely.newColor(0), work, "event");
      still.mely.register(still.mely.newColor(0), work, "event");
      assertEquals(0, still.host.poller(1).wakeups, "it is awake");
      runWithoutSleep(still, 1);
      assertTrue(ran.contains(1), policy::toString);
    }
  }

  private void runWithoutSleep(StillMely still, int core) {
    int before = ran.size();
    for (int i = 0; i < 1_000 && ran.size() == before; i++) {
      assertNotEquals(Worker.PARK, still.step(core), "it wants to sleep");
    }
  }
}
