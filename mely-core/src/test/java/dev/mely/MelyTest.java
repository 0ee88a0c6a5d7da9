package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a color promises (requirements A1, A2, B11), with threads. */
@Timeout(300)
class MelyTest {
  private static final Duration LONG = Duration.ofSeconds(120);

  private final ConcurrentLinkedQueue<Throwable> errors = new ConcurrentLinkedQueue<>();
  private final Mely mely = mely(StealPolicy.ALL);

  private Mely mely(StealPolicy policy) {
    return Mely.builder()
        .cores(3)
        .policy(policy)
        .pinned(false)
        .errorHandler((color, event, error) -> errors.add(error))
        .build();
  }

  @AfterEach
  void nothingFailed() {
    mely.shutdown(Duration.ZERO);
    assertEquals(List.of(), List.copyOf(errors));
  }

  // ---- Order and exclusion

  @Test
  void eventsOfAColorRunInTheOrderOfRegistration() throws InterruptedException {
    int producers = 4;
    int each = 20_000;
    Color color = mely.newColor();
    SerialCheck check = new SerialCheck(producers);
    Handler<int[]> handler =
        Handler.of(
            event -> {
              check.enter(event[0], event[1]);
              check.leave();
            });
    Threads threads = new Threads();
    for (int p = 0; p < producers; p++) {
      int producer = p;
      threads.add(
          () -> {
            for (int i = 0; i < each; i++) {
              mely.register(color, handler, new int[] {producer, i});
            }
          });
    }
    threads.run();
    assertTrue(mely.shutdown(LONG).drained());
    assertEquals(producers * each, check.count());
  }

  /** Order holds between a handler's own registrations and those of others that it waits for. */
  @Test
  void registrationThatHappensBeforeAnotherRunsBeforeIt() throws InterruptedException {
    Color color = mely.newColor();
    List<Integer> ran = new ArrayList<>();
    Handler<Integer> note = Handler.of(ran::add);
    CountDownLatch done = new CountDownLatch(1);
    mely.execute(
        color,
        () -> {
          try {
            for (int i = 0; i < 300; i += 3) {
              int number = i;
              mely.register(color, note, number);
              new Threads().add(() -> mely.register(color, note, number + 1)).run();
              mely.register(color, note, number + 2);
            }
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
          mely.execute(color, done::countDown);
        });
    done.await();
    List<Integer> expected = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      expected.add(i);
    }
    assertEquals(expected, ran);
  }

  /** A program that uses no other color needs no locks (A1). */
  @Test
  void programOfOneColorIsSerial() throws InterruptedException {
    Color color = mely.color(0);
    int[] counter = new int[1];
    Handler<Integer> handler =
        new Handler<>() {
          @Override
          public void handle(Integer depth) {
            counter[0]++;
            if (depth > 0) {
              mely.register(color, this, depth - 1);
            }
          }
        };
    Threads threads = new Threads();
    for (int p = 0; p < 4; p++) {
      threads.add(
          () -> {
            for (int i = 0; i < 5_000; i++) {
              mely.register(color, handler, i % 4);
            }
          });
    }
    threads.run();
    assertTrue(mely.shutdown(LONG).drained());
    assertEquals(4 * 5_000 / 4 * (1 + 2 + 3 + 4), counter[0]);
  }

  @Test
  void eventsOfDifferentColorsRunInParallel() throws InterruptedException {
    CyclicBarrier together = new CyclicBarrier(3);
    CountDownLatch met = new CountDownLatch(3);
    Handler<Integer> handler =
        Handler.of(
            core -> {
              together.await();
              assertEquals(core, mely.inspect().currentCore());
              met.countDown();
            });
    for (int core = 0; core < 3; core++) {
      mely.register(mely.newPinnedColor(core), handler, core);
    }
    met.await();
  }

  /** The event has the color with which it was registered, independent of its producer (A1). */
  @Test
  void colorsAreNotInherited() throws InterruptedException {
    Color red = mely.newPinnedColor(0);
    Color blue = mely.newPinnedColor(1);
    CountDownLatch blueRan = new CountDownLatch(1);
    CountDownLatch redRan = new CountDownLatch(1);
    mely.execute(
        red,
        () -> {
          mely.execute(
              blue,
              () -> {
                assertTrue(blue.isCurrent());
                assertFalse(red.isCurrent());
                blueRan.countDown();
              });
          assertTrue(red.isCurrent());
          assertFalse(blue.isCurrent());
          try {
            blueRan.await(); // would wait for itself if the event were red
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
          redRan.countDown();
        });
    redRan.await();
  }

  // ---- Where events run

  @Test
  void handlersKnowWhereTheyAre() throws InterruptedException {
    Color color = mely.newPinnedColor(2);
    CountDownLatch ran = new CountDownLatch(1);
    Thread test = Thread.currentThread();
    mely.execute(
        color,
        () -> {
          assertEquals(2, mely.inspect().currentCore());
          assertEquals(2, color.core());
          assertTrue(color.isCurrent());
          assertTrue(color.isRunBy(Thread.currentThread()));
          assertFalse(color.isRunBy(test));
          ran.countDown();
        });
    ran.await();
    assertEquals(-1, mely.inspect().currentCore());
    assertFalse(color.isCurrent());
  }

  @Test
  void newColorsTakeTurns() {
    List<Integer> cores = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      cores.add(mely.newColor().core());
    }
    assertEquals(List.of(0, 1, 2, 0, 1, 2), cores);
  }

  @Test
  void colorStaysWhereItIsIfNobodySteals() throws InterruptedException {
    try (Mely still = mely(StealPolicy.OFF)) {
      Set<String> seen = new ConcurrentSkipListSet<>();
      CountDownLatch ran = new CountDownLatch(3 * 100);
      for (int core = 0; core < 3; core++) {
        Color color = still.newColor(core);
        int home = core;
        for (int i = 0; i < 100; i++) {
          still.execute(
              color,
              () -> {
                seen.add(home + "@" + still.inspect().currentCore());
                ran.countDown();
              });
        }
      }
      ran.await();
      assertEquals(Set.of("0@0", "1@1", "2@2"), seen);
    }
  }

  @Test
  void movedColorRunsAtItsNewCore() throws InterruptedException {
    try (Mely still = mely(StealPolicy.OFF)) {
      Color color = still.newColor(0);
      List<Integer> seen = Collections.synchronizedList(new ArrayList<>());
      for (int core : new int[] {1, 2, 0, 2}) {
        while (!color.moveTo(core)) {
          Thread.onSpinWait(); // its last event is still on its way out
        }
        CountDownLatch ran = new CountDownLatch(1);
        still.execute(
            color,
            () -> {
              seen.add(still.inspect().currentCore());
              ran.countDown();
            });
        ran.await();
      }
      assertEquals(List.of(1, 2, 0, 2), seen);
    }
  }

  /** Debug switch: code that relies on a thread in place of its color is shaken out. */
  @Test
  void randomMigrationSendsAColorEverywhere() throws InterruptedException {
    try (Mely migrating =
        Mely.builder()
            .cores(3)
            .policy(StealPolicy.OFF)
            .pinned(false)
            .randomMigration(7)
            .errorHandler((color, event, error) -> errors.add(error))
            .build()) {
      Color color = migrating.newColor(0);
      Color pinned = migrating.newPinnedColor(1);
      Set<Integer> seen = new TreeSet<>();
      Set<Integer> pinnedSeen = new TreeSet<>();
      SerialCheck check = new SerialCheck(1);
      CountDownLatch ran = new CountDownLatch(2 * 2_000);
      for (int i = 0; i < 2_000; i++) {
        int number = i;
        migrating.execute(
            color,
            () -> {
              check.enter(0, number);
              seen.add(migrating.inspect().currentCore());
              check.leave();
              ran.countDown();
            });
        migrating.execute(
            pinned,
            () -> {
              pinnedSeen.add(migrating.inspect().currentCore());
              ran.countDown();
            });
      }
      ran.await();
      assertEquals(Set.of(0, 1, 2), seen);
      assertEquals(Set.of(1), pinnedSeen);
    }
  }

  // ---- Errors

  @Test
  void colorOfAnotherRuntimeIsRefused() {
    try (Mely other = mely(StealPolicy.OFF)) {
      Color foreign = other.newColor();
      Exception e =
          assertThrows(
              IllegalArgumentException.class, () -> mely.execute(foreign, () -> errors.clear()));
      assertTrue(e.getMessage().contains(foreign.toString()), e.getMessage());
      assertThrows(
          IllegalArgumentException.class,
          () -> mely.schedule(foreign, Handler.of(x -> {}), "event", Duration.ZERO));
    }
  }

  @Test
  void coreThatIsNotThereIsNamed() {
    for (int core : new int[] {-1, 3}) {
      for (Exception e :
          List.of(
              assertThrows(IllegalArgumentException.class, () -> mely.newColor(core)),
              assertThrows(IllegalArgumentException.class, () -> mely.newPinnedColor(core)))) {
        assertTrue(e.getMessage().contains("no core " + core), e.getMessage());
      }
    }
  }
}
