package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.report.Statistics;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Colors whose short events register their own successors: little waits, much will come (B7). */
class StreamTest {
  private static final long COST = 400;
  private static final int BATCHES = 1_000;

  private final StillMely still = new StillMely(2, StealPolicy.ALL);

  /** So many more events each chain registers. */
  private int more = Integer.MAX_VALUE;

  private Color chain() {
    Color color = still.mely.newColor(0);
    Handler<Object> link =
        new Handler<>(Work.MEASURED.cost(Duration.ofNanos(COST)).penalty(1)) {
          @Override
          public void handle(Object event) {
            still.host.advance(COST);
            if (more > 0) {
              more--;
              still.mely.register(color, this, event);
            }
          }
        };
    still.mely.register(color, link, "link");
    return color;
  }

  private void runBatches(int batches) {
    for (int i = 0; i < batches; i++) {
      still.stepTo(0, WorkerState.FINISH);
    }
    still.step(0);
  }

  private Statistics.PerCore thief() {
    return still.mely.inspect().statistics().cores().get(1);
  }

  @Test
  void oneThatKeepsOthersWaitingIsStolen() {
    still.run(1);
    Color a = chain();
    Color b = chain();
    runBatches(BATCHES);
    assertEquals(1, Math.max(a.pending(), b.pending()), "never more");
    still.stepTo(1, WorkerState.RUN);
    assertEquals(1, thief().wakeups());
    assertEquals(1, thief().colorsStolen());
    assertEquals(0, thief().takeovers());
  }

  @Test
  void oneOfAFewEventsIsNot() {
    still.run(1);
    more = 60;
    chain();
    chain();
    still.run(0);
    assertEquals(0, thief().wakeups(), "would win less than waking a thief costs");
  }

  /** It would keep one core busy, as it does. */
  @Test
  void oneAloneIsNot() {
    still.run(1);
    Color alone = chain();
    runBatches(BATCHES);
    assertEquals(COST, alone.weight());
    assertTrue(still.core(0).stealing.isEmpty());
    assertEquals(0, thief().wakeups());
  }

  @Test
  void noneIsWhileNobodyIsIdle() {
    Color a = chain();
    Color b = chain();
    runBatches(BATCHES);
    assertEquals(COST, a.weight());
    assertEquals(COST, b.weight());
  }

  @Test
  void whatOthersRegisteredIsCountedAsItWaits() {
    still.run(1);
    more = 0;
    Color a = still.mely.newColor(0);
    Handler<Object> quick =
        Handler.of(e -> still.host.advance(5)).cost(Duration.ofNanos(5)).penalty(1);
    for (int i = 0; i < 100; i++) {
      still.mely.register(a, quick, i);
    }
    chain();
    for (int left = 90; left > 0; left -= 10) {
      runBatches(1);
      if (a.pending() != left) {
        runBatches(1); // the other color's turn
      }
      assertEquals(left, a.pending());
      assertEquals(left * 5, a.weight());
    }
  }

  /** One event fills a batch, and another comes from outside: two, and no stream. */
  @Test
  void longEventsOfOthersAreNot() {
    still.run(1);
    Color color = still.mely.newColor(0);
    Handler<Object> slow =
        Handler.of(e -> still.host.advance(StillMely.BATCH_NANOS))
            .cost(Duration.ofNanos(StillMely.BATCH_NANOS))
            .penalty(1);
    still.mely.register(color, slow, 1);
    still.stepTo(0, WorkerState.RUN);
    still.mely.register(color, slow, 2);
    still.mely.register(still.mely.newPinnedColor(0), slow, "waits");
    runBatches(1);
    assertEquals(1, color.pending());
    assertEquals(StillMely.BATCH_NANOS, color.weight());
  }

  @Test
  void nothingIsLeftOfItsWeightWhenItEnds() {
    still.run(1);
    more = 10_000;
    Color a = chain();
    Color b = chain();
    runBatches(BATCHES);
    assertTrue(a.weight() > 50_000 && a.weight() <= 1_000_000, "weighs " + a.weight());
    still.run(0);
    for (Color color : new Color[] {a, b}) {
      assertEquals(0, color.weight());
      assertEquals(0, color.pending());
      assertFalse(color.canTake());
    }
  }

  /** A worker that has nobody to steal from looks at its own queue a few times more. */
  @Test
  void anIdleWorkerSpinsBeforeItParks() {
    SettingsBuilder settings = new SettingsBuilder();
    settings.cores = 1;
    settings.policy = StealPolicy.OFF;
    settings.spins = 3;
    StillMely off = new StillMely(settings);
    for (int round = 0; round < 2; round++) {
      for (int i = 0; i < settings.spins; i++) {
        assertEquals(WorkerState.PICK, off.step(0));
      }
      assertEquals(WorkerState.PUBLISH, off.step(0));
      off.mely.execute(off.mely.newColor(), () -> {});
      off.stepTo(0, WorkerState.FINISH);
      off.step(0);
    }
  }
}
