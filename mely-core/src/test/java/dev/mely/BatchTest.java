package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Accounting for several events of one handler at once comes to what one by one does. */
class BatchTest {
  private static final long MAX_NANOS = 50_000;
  private static final int ROUNDS = 2_000;

  private final SettingsBuilder settings = new SettingsBuilder();
  private final Color color = new StillMely(1, StealPolicy.ALL, 10).mely.newColor();

  private static final List<Handler<String>> HANDLERS =
      List.of(costs(300, 1), costs(7_000, 7), costs(12_000, 2));

  private static Handler<String> costs(long nanos, int penalty) {
    return Handler.of((String event) -> {}).cost(Duration.ofNanos(nanos)).penalty(penalty);
  }

  private Batch batch() {
    return new Batch(settings.build(), new OwnLane(1));
  }

  /** Number and weight, whatever the order of handlers, and whether the first was carried. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void whatIsPendingWeighsWhatItIsWorth(long seed) {
    Random random = new Random(seed);
    Batch batch = batch();
    for (int round = 0; round < ROUNDS; round++) {
      List<Handler<String>> pending =
          random.ints(1 + random.nextInt(12), 0, HANDLERS.size()).mapToObj(HANDLERS::get).toList();
      boolean activated = random.nextBoolean();
      for (int i = 0; i < pending.size(); i++) {
        long weight = StealPolicy.ALL.weigh(pending.get(i));
        if (i == 0 && activated) {
          color.setFirstWeight(weight);
        } else {
          color.addPending(1, weight);
        }
      }
      int taken = 1 + random.nextInt(pending.size());
      batch.beginBatch(color);
      for (int i = 0; i < taken; i++) {
        batch.take(color, pending.get(i));
      }
      batch.appended(17);
      batch.endBatch();
      batch.weigh(color);
      batch.settle(color);
      long left = 17;
      for (Handler<String> handler : pending.subList(taken, pending.size())) {
        left += StealPolicy.ALL.weigh(handler);
      }
      assertEquals(left, color.weight(), "seed " + seed + ", round " + round);
      assertEquals(pending.size() - taken + 1, color.pendingCount());
      color.addPending(-color.pendingCount(), -left);
    }
  }

  /** A batch ends when its events have taken so long, timed or not. */
  @ParameterizedTest
  @ValueSource(longs = {4, 5, 6})
  void timeEndsABatch(long seed) {
    Random random = new Random(seed);
    settings.batch = Integer.MAX_VALUE;
    Batch batch = batch();
    for (int round = 0; round < ROUNDS; round++) {
      batch.beginBatch(color);
      long elapsed = 0;
      boolean goesOn = true;
      while (goesOn) {
        Handler<String> handler = HANDLERS.get(random.nextInt(3));
        batch.take(color, handler);
        if (random.nextInt(4) == 0) {
          long nanos = random.nextInt(9_000);
          batch.timed(nanos);
          elapsed += nanos;
        } else {
          elapsed += handler.costNanos();
        }
        goesOn = batch.mayGoOn(handler);
        assertEquals(elapsed < MAX_NANOS, goesOn, "seed " + seed + ", round " + round);
      }
      batch.endBatch();
      assertEquals(true, batch.tookLong());
    }
  }

  @Test
  void numberEndsABatch() {
    settings.batch = 3;
    Batch batch = batch();
    batch.beginBatch(color);
    Handler<String> handler = HANDLERS.get(0);
    for (int i = 1; i <= 3; i++) {
      batch.take(color, handler);
      assertEquals(i < 3, batch.mayGoOn(handler));
    }
  }

  /** Of a stolen batch alone, and of its handlers' usual costs, not of what it took. */
  @Test
  void aStolenBatchIsExpectedToTakeWhatItsEventsCost() {
    Batch batch = batch();
    batch.beginBatch(color);
    batch.take(color, HANDLERS.get(1));
    batch.endBatch();
    assertEquals(0, batch.expectedNanos());

    batch.beginStolenBatch(color);
    batch.take(color, HANDLERS.get(0));
    batch.take(color, HANDLERS.get(0));
    batch.take(color, HANDLERS.get(1));
    batch.timed(40_000);
    batch.take(color, HANDLERS.get(2));
    batch.endBatch();
    assertEquals(300 + 300 + 7_000 + 12_000, batch.expectedNanos());
    assertTrue(batch.takeStolen());
    assertFalse(batch.takeStolen());
  }
}
