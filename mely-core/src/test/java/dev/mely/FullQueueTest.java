package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.kit.Mutant;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A color for whose entry there is no memory: its events are rejected, somebody is told, and the
 * color may be used again. Rings of four entries, which must not grow, stand for those that cannot.
 */
@Timeout(300)
class FullQueueTest {
  private static final int CAPACITY = 4;

  private final List<Object> ran = new ArrayList<>();
  private final List<Object> rejected = new ArrayList<>();
  private final Handler<Object> handler = new Noting(ran, rejected);

  // ---- Step by step

  @ParameterizedTest
  @EnumSource(MelyBuilder.Order.class)
  void colorThatWakesUpIsTurnedAway(MelyBuilder.Order order) {
    StillMely still = still(1, StealPolicy.ALL, order);
    fill(still);
    Color color = still.mely.newColor(0);
    still.mely.register(color, handler, "too much");
    assertTurnedAway(still, color, "too much");
    still.run(0);
    still.mely.register(color, handler, "later");
    still.run(0);
    assertEquals(List.of(0, 1, 2, 3, "later"), ran);
  }

  @Test
  void urgentColorIsTurnedAway() {
    StillMely still = still(1, StealPolicy.ALL, MelyBuilder.Order.ROTATION);
    for (int i = 0; i < CAPACITY; i++) {
      still.mely.registerUrgent(still.mely.newColor(0), handler, i);
    }
    Color color = still.mely.newColor(0);
    still.mely.registerUrgent(color, handler, "too much");
    assertTurnedAway(still, color, "too much");
    still.run(0);
    assertEquals(List.of(0, 1, 2, 3), ran);
  }

  /** Its batch is over, and others have taken all the room meanwhile. */
  @Test
  void colorWhoseBatchIsOverIsTurnedAway() {
    for (StealPolicy policy : List.of(StealPolicy.ALL, StealPolicy.OFF)) {
      ran.clear();
      rejected.clear();
      StillMely still = new StillMely(settings(1, policy, MelyBuilder.Order.ROTATION, 1));
      Color color = still.mely.newColor(0);
      for (int i = 10; i < 13; i++) {
        still.mely.register(color, handler, i);
      }
      still.stepTo(0, WorkerState.RUN);
      fill(still);
      still.run(0);
      assertEquals(List.of(10, 0, 1, 2, 3), ran);
      assertEquals(List.of(11, 12), rejected);
      assertIdle(color);
    }
  }

  /** Both lie in the ring when a thief takes one entry out, and a producer takes its place. */
  @Test
  void entryThatCannotBePutBackIsTurnedAway() {
    StillMely still = still(2, StealPolicy.BASE, MelyBuilder.Order.ROTATION);
    Color pinned = still.mely.newPinnedColor(0);
    still.mely.register(pinned, handler, "pinned");
    for (int i = 0; i < CAPACITY - 1; i++) {
      still.mely.register(still.mely.newPinnedColor(0), handler, i);
    }
    while (still.core(0).queue.size() == CAPACITY) {
      still.step(1);
    }
    still.mely.register(still.mely.newPinnedColor(0), handler, 3);
    still.run(1);
    assertTurnedAway(still, pinned, "pinned");
    still.run(0);
    assertEquals(List.of(0, 1, 2, 3), ran.stream().sorted().toList());
  }

  /** One of the timers that are due finds no room; it takes no other with it. */
  @Test
  void otherTimersThatAreDueStillFire() {
    StillMely still = still(1, StealPolicy.ALL, MelyBuilder.Order.ROTATION);
    still.run(0);
    Color busy = still.mely.newColor(0);
    Color[] late = {still.mely.newColor(0), busy};
    for (Color color : late) {
      still.mely.schedule(
          color, handler, color == busy ? "fires" : "too much", Duration.ofMillis(1));
    }
    still.step(0);
    still.mely.register(busy, handler, "first");
    for (int i = 1; i < CAPACITY; i++) {
      still.mely.register(still.mely.newColor(0), handler, i);
    }
    still.host.advance(2_000_000);
    still.run(0);
    assertEquals(List.of("too much"), rejected);
    assertEquals(1, still.errors.size());
    assertTrue(ran.contains("fires"), ran::toString);
  }

  /** The end finds no room for a color either. */
  @Test
  void shutdownEndsWithFullQueues() {
    StillMely still = still(1, StealPolicy.ALL, MelyBuilder.Order.ROTATION);
    fill(still);
    still.mely.register(still.mely.newColor(0), handler, "too much");
    still.scheduler.setPhase(Scheduler.CLOSED);
    still.stepTo(0, WorkerState.EXIT);
    assertEquals(CAPACITY + 1, rejected.size());
    assertEquals(List.of(), ran);
  }

  // ---- With threads

  @Test
  void everyEventRunsOrIsRejected() throws InterruptedException {
    everyEventRunsOrIsRejected(200, 120);
  }

  /** Many more colors than there is room for, in rounds, each of which may take so long. */
  static void everyEventRunsOrIsRejected(int rounds, int seconds) throws InterruptedException {
    ConcurrentLinkedQueue<Object> told = new ConcurrentLinkedQueue<>();
    SettingsBuilder settings = settings(2, StealPolicy.ALL, MelyBuilder.Order.ROTATION, 2);
    settings.errors = (color, event, error) -> told.add(color);
    AtomicInteger ran = new AtomicInteger();
    AtomicInteger rejected = new AtomicInteger();
    Handler<Object> counting =
        new Handler<>() {
          @Override
          public void handle(Object event) {
            ran.incrementAndGet();
          }

          @Override
          protected void rejected(Object event) {
            rejected.incrementAndGet();
          }
        };
    int accepted = 0;
    Host host = new SystemHost(Thread::new, cpu -> true, new int[2]);
    try (Mely mely = new Mely(host, settings.build(), host::newPoller, new int[2])) {
      Color[] colors = Stream.generate(mely::newColor).limit(32).toArray(Color[]::new);
      for (int round = 0; round < rounds; round++) {
        Threads producers = new Threads();
        for (int p = 0; p < 3; p++) {
          producers.add(
              () -> {
                for (int i = 0; i < 200; i++) {
                  mely.register(colors[i % colors.length], counting, i);
                }
              });
        }
        producers.run();
        accepted += 600;
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        while (ran.get() + rejected.get() != accepted) {
          if (System.nanoTime() > deadline) {
            throw new AssertionError(
                ran + " run and " + rejected + " rejected of " + accepted + " in round " + round);
          }
          Thread.onSpinWait();
        }
      }
      if (told.isEmpty() || rejected.get() == 0 || ran.get() == 0) {
        throw new AssertionError(
            told.size() + " told, " + ran + " run, " + rejected + " rejected: shows nothing");
      }
    }
  }

  static Stream<Mutant> mutants() {
    return Stream.of(
        new Mutant(
            "a color that finds no room stays queued",
            "Rejection.java",
            "if (color.claimToReject()) { // else another thread",
            "if (color == null) { // else another thread"),
        new Mutant(
            "an event that is linked late is left behind",
            "Rejection.java",
            "      while (!rejectPending(color)) {\n        awaitLink",
            "      if (!rejectPending(color)) {\n        color.queue(0);\n        awaitLink"));
  }

  @ParameterizedTest
  @MethodSource("mutants")
  void threadsWouldNotice(Mutant mutant, @TempDir Path scratch) throws Exception {
    Method method =
        mutant
            .load("FullQueueTest", scratch)
            .getDeclaredMethod("everyEventRunsOrIsRejected", int.class, int.class);
    method.setAccessible(true);
    InvocationTargetException failure =
        assertThrows(
            InvocationTargetException.class,
            () -> method.invoke(null, 100_000, 2),
            () -> "not caught: " + mutant);
    assertInstanceOf(AssertionError.class, failure.getCause());
    System.out.println("caught: " + mutant + " (" + failure.getCause().getMessage() + ")");
  }

  // ---- Helpers

  private static StillMely still(int cores, StealPolicy policy, MelyBuilder.Order order) {
    return new StillMely(settings(cores, policy, order, 10));
  }

  private static SettingsBuilder settings(
      int cores, StealPolicy policy, MelyBuilder.Order order, int batch) {
    SettingsBuilder settings = new SettingsBuilder();
    settings.cores = cores;
    settings.policy = policy;
    settings.order = order;
    settings.batch = batch;
    settings.queueCapacity = CAPACITY;
    return settings;
  }

  /** Colors of one event each, until the ring is full. */
  private void fill(StillMely still) {
    for (int i = 0; i < CAPACITY; i++) {
      still.mely.register(still.mely.newColor(0), handler, i);
    }
  }

  private void assertTurnedAway(StillMely still, Color color, Object event) {
    assertEquals(List.of(event), rejected);
    assertEquals(1, still.errors.size());
    assertTrue(still.errors.get(0).contains("colors wait for one core"), still.errors::toString);
    assertIdle(color);
  }

  private static void assertIdle(Color color) {
    assertTrue(color.toString().contains("idle"), color::toString);
    assertEquals(0, color.pending());
    assertEquals(0, color.weight());
  }
}
