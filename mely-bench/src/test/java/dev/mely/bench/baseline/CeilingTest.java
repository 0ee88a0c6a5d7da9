package dev.mely.bench.baseline;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What makes it the ceiling; that it keeps the rules is for all contestants' test. */
@Timeout(300)
class CeilingTest {
  private static final int JOBS = 3_000;

  @Test
  void splitsByWhatHasBeenGiven() {
    try (CeilingContestant ceiling = new CeilingContestant(3, false)) {
      int[] places = IntStream.of(5, 1, 1, 2, 2, 7).map(w -> ceiling.place(0, w)).toArray();
      assertEquals(List.of(0, 1, 2, 1, 2, 1), IntStream.of(places).boxed().toList());
      assertEquals(List.of(5L, 10L, 3L), List.of(0, 1, 2).stream().map(ceiling::placed).toList());
    }
  }

  /** All jobs of a color on one thread, on another one than those of the other core's. */
  @Test
  void runsAColorOnItsCoreAlone() {
    Set<Thread> zero = ConcurrentHashMap.newKeySet();
    Set<Thread> one = ConcurrentHashMap.newKeySet();
    List<Integer> order = Collections.synchronizedList(new ArrayList<>());
    try (CeilingContestant ceiling = new CeilingContestant(2, false)) {
      for (int i = 0; i < JOBS; i++) {
        int number = i;
        ceiling.register(ceiling.newColor(0), job(ceiling, () -> zero.add(Thread.currentThread())));
        ceiling.register(
            ceiling.newColor(1),
            job(
                ceiling,
                () -> {
                  one.add(Thread.currentThread());
                  order.add(number);
                }));
      }
      await().atMost(120, TimeUnit.SECONDS).until(() -> ceiling.counted() == 2 * JOBS);
    }
    assertEquals(1, zero.size());
    assertEquals(1, one.size());
    assertNotEquals(zero, one);
    assertEquals(IntStream.range(0, JOBS).boxed().toList(), order);
  }

  /** A worker's own ring grows while it is full and wound around its end. */
  @Test
  void keepsTheOrderWhileARingGrows() {
    List<Integer> order = new ArrayList<>();
    try (CeilingContestant ceiling = new CeilingContestant(1, false)) {
      Ring ring = ceiling.newColor(0);
      Runnable many =
          () -> {
            for (int i = 0; i < JOBS; i++) {
              int number = i;
              ceiling.register(ring, job(ceiling, () -> order.add(number)));
            }
          };
      // A hundred before, so that the ring does not begin at its first place.
      ceiling.register(
          ring,
          job(
              ceiling,
              () -> {
                for (int i = 0; i < 100; i++) {
                  ceiling.register(ring, job(ceiling, () -> {}));
                }
                ceiling.register(ring, job(ceiling, many));
              }));
      await().atMost(120, TimeUnit.SECONDS).until(() -> ceiling.counted() == JOBS + 102);
    }
    assertEquals(IntStream.range(0, JOBS).boxed().toList(), order);
  }

  private static Job job(CeilingContestant ceiling, Runnable task) {
    return new Job(ceiling.kind(Duration.ofNanos(100), 1)) {
      @Override
      public void run() {
        task.run();
        ceiling.worker().count();
      }
    };
  }
}
