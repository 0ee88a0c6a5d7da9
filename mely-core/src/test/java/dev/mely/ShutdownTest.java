package dev.mely;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** No event is lost: accepted = run + rejected, whatever races the end. */
@Timeout(120)
class ShutdownTest {
  private static final Duration LONG = Duration.ofSeconds(60);

  private final ConcurrentLinkedQueue<Thread> threads = new ConcurrentLinkedQueue<>();
  private final CountDownLatch unblock = new CountDownLatch(1);
  private final Tally tally = new Tally();

  @AfterEach
  void noThreadIsLeft() throws InterruptedException {
    unblock.countDown();
    for (Thread thread : threads) {
      thread.join();
    }
  }

  // ---- Draining

  @Test
  void runsWhatIsPending() {
    Mely mely = mely(2);
    for (int i = 0; i < 10_000; i++) {
      mely.register(mely.color(i % 100), tally, i);
    }
    assertEquals(new ShutdownReport(true, 0, 0, List.of()), mely.shutdown(LONG));
    assertEquals(10_000, tally.ran.get());
    assertEquals(0, tally.rejected.size());
    assertTrue(mely.isShutdown());
    assertTrue(mely.isTerminated());
    assertFalse(threads.stream().anyMatch(Thread::isAlive));
  }

  @Test
  void idleRuntimeEndsAtOnce() {
    Mely mely = mely(3);
    assertFalse(mely.isShutdown());
    assertFalse(mely.isTerminated());
    assertEquals(new ShutdownReport(true, 0, 0, List.of()), mely.shutdown(LONG));
    assertTrue(mely.isTerminated());
  }

  /** What handlers register while the runtime drains still runs. */
  @Test
  void chainsRunToTheirEnd() {
    Mely mely = mely(2);
    Handler<Integer> chain =
        new Handler<>() {
          @Override
          public void handle(Integer left) {
            tally.ran.incrementAndGet();
            if (left > 1) {
              mely.register(mely.color(left % 7), this, left - 1);
            }
          }
        };
    for (int i = 0; i < 10; i++) {
      mely.register(mely.newColor(), chain, 500);
    }
    assertTrue(mely.shutdown(LONG).drained());
    assertEquals(5_000, tally.ran.get());
  }

  /** Each core is asleep whenever one looks at it first: the event is always at the other. */
  @Test
  void eventThatHopsBetweenCoresIsNotOverlooked() {
    for (int round = 0; round < 30; round++) {
      Mely mely = builder(2).policy(StealPolicy.OFF).spins(0).build();
      Color[] colors = {mely.newColor(0), mely.newColor(1)};
      int hops = 1_000;
      Handler<Integer> hop =
          new Handler<>() {
            @Override
            public void handle(Integer number) {
              if (number < hops) {
                mely.register(colors[number % 2], this, number + 1);
              } else {
                tally.ran.incrementAndGet();
              }
            }
          };
      mely.register(colors[0], hop, 1);
      assertEquals(new ShutdownReport(true, 0, 0, List.of()), mely.shutdown(LONG));
      assertEquals(round + 1, tally.ran.get());
    }
  }

  @Test
  void outsidersAreRefusedWhileHandlersAreNot() throws Exception {
    Mely mely = mely(2);
    Color color = mely.newColor();
    CountDownLatch started = new CountDownLatch(1);
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    mely.execute(
        color,
        () -> {
          started.countDown();
          block();
          try {
            mely.register(color, tally, 1);
            mely.register(mely.newColor(), tally, 2);
          } catch (Throwable t) {
            failure.set(t);
          }
        });
    started.await();
    Threads closing = new Threads().add(() -> assertTrue(mely.shutdown(LONG).drained())).start();
    await().until(mely::isShutdown);
    assertThrows(RejectedExecutionException.class, () -> mely.register(color, tally, 3));
    assertThrows(RejectedExecutionException.class, () -> mely.execute(color, () -> {}));
    assertThrows(
        RejectedExecutionException.class,
        () -> mely.schedule(color, tally, 4, Duration.ofMillis(1)));
    unblock.countDown();
    closing.join();
    assertEquals(null, failure.get());
    assertEquals(2, tally.ran.get());
    assertEquals(0, tally.rejected.size());
  }

  // ---- The deadline

  @Test
  void deadlineRejectsWhatIsLeft() throws InterruptedException {
    Mely mely = mely(1);
    Color busy = mely.newColor();
    blockUntilInterrupted(mely, busy);
    for (int i = 0; i < 100; i++) {
      mely.register(busy, tally, i);
    }
    for (int i = 100; i < 200; i++) {
      mely.register(mely.newColor(), tally, i);
    }
    ShutdownReport report = mely.shutdown(Duration.ofMillis(1));
    assertEquals(new ShutdownReport(false, 200, 0, List.of()), report);
    assertEquals(0, tally.ran.get());
    List<Integer> expected = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      expected.add(i);
    }
    assertEquals(expected, tally.rejected.stream().sorted().toList());
    assertEquals(expected.subList(0, 100), tally.rejected.stream().filter(i -> i < 100).toList());
    assertTrue(mely.isTerminated());
  }

  /** A caller-owned event that was rejected belongs to its owner again. */
  @Test
  void rejectedEventMayBeUsedAgain() throws InterruptedException {
    Mely mely = mely(1);
    blockUntilInterrupted(mely, mely.newColor());
    ColorTest.Numbered event = new ColorTest.Numbered(0);
    List<Event> rejected = new ArrayList<>();
    Handler<Event> handler =
        new Handler<>() {
          @Override
          public void handle(Event e) {}

          @Override
          protected void rejected(Event e) {
            rejected.add(e);
          }
        };
    mely.register(mely.newColor(), handler, event);
    mely.shutdown(Duration.ZERO);
    assertEquals(List.of(event), rejected);
    assertFalse(event.isPending());
    try (Mely other = mely(1)) {
      CountDownLatch ran = new CountDownLatch(1);
      other.register(other.newColor(), Handler.<Event>of(e -> ran.countDown()), event);
      ran.await();
    }
  }

  @Test
  void handlerThatIgnoresTheEndIsReported() throws InterruptedException {
    Mely mely = mely(2);
    AtomicInteger interrupts = new AtomicInteger();
    CountDownLatch started = new CountDownLatch(1);
    Color color = mely.newPinnedColor(1);
    mely.execute(
        color,
        () -> {
          started.countDown();
          while (unblock.getCount() > 0) {
            try {
              unblock.await();
            } catch (InterruptedException e) {
              interrupts.incrementAndGet();
            }
          }
        });
    started.await();
    mely.register(color, tally, 1);
    ShutdownReport report = mely.shutdown(Duration.ZERO);
    assertFalse(report.drained());
    assertEquals(List.of(1), report.stuckCores());
    assertEquals(1, interrupts.get(), "interrupted once");
    assertFalse(mely.isTerminated());
    assertEquals(0, tally.ran.get());
    unblock.countDown();
    await().until(mely::isTerminated);
    assertEquals(0, tally.ran.get(), "nothing runs after the end");
    assertEquals(List.of(1), List.copyOf(tally.rejected));
  }

  /** Its worker is at a core where a color is being rejected by another thread. */
  @Test
  void colorUnderRejectionIsNotCurrentForAStuckHandler() throws InterruptedException {
    Mely mely = mely(1);
    Color waiting = mely.newColor();
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch rejecting = new CountDownLatch(1);
    CountDownLatch looked = new CountDownLatch(1);
    AtomicBoolean current = new AtomicBoolean();
    mely.execute(
        mely.newColor(),
        () -> {
          started.countDown();
          uninterruptibly(rejecting);
          current.set(waiting.isCurrent());
          looked.countDown();
        });
    started.await();
    Handler<String> handler =
        new Handler<>() {
          @Override
          public void handle(String event) {}

          @Override
          protected void rejected(String event) {
            rejecting.countDown();
            uninterruptibly(looked);
          }
        };
    mely.register(waiting, handler, "event");
    mely.shutdown(Duration.ZERO);
    assertFalse(current.get());
  }

  @Test
  void rejectionThatFailsKeepsNothingElseFromBeingRejected() throws InterruptedException {
    AtomicInteger calls = new AtomicInteger();
    java.util.logging.Logger logger = java.util.logging.Logger.getLogger("dev.mely");
    logger.setUseParentHandlers(false);
    try {
      Mely mely = mely(1);
      blockUntilInterrupted(mely, mely.newColor());
      Handler<Integer> failing =
          new Handler<>() {
            @Override
            public void handle(Integer event) {}

            @Override
            protected void rejected(Integer event) {
              calls.incrementAndGet();
              throw new IllegalStateException("planned");
            }
          };
      for (int i = 0; i < 10; i++) {
        mely.register(mely.color(i % 3), failing, i);
      }
      assertEquals(10, mely.shutdown(Duration.ZERO).eventsLeft());
      assertEquals(10, calls.get());
    } finally {
      logger.setUseParentHandlers(true);
    }
  }

  // ---- Who may call it

  @Test
  void handlerMayNotShutItsOwnRuntimeDown() throws InterruptedException {
    Mely mely = mely(2);
    AtomicReference<@Nullable Throwable> thrown = new AtomicReference<>();
    CountDownLatch done = new CountDownLatch(2);
    mely.execute(
        mely.newColor(),
        () -> {
          try {
            mely.shutdown(LONG);
          } catch (Throwable t) {
            thrown.set(t);
          }
          done.countDown();
        });
    mely.execute(mely.newColor(), done::countDown);
    done.await();
    assertInstanceOf(IllegalStateException.class, thrown.get());
    assertFalse(mely.isShutdown());
    assertTrue(mely.shutdown(LONG).drained());
  }

  @Test
  void handlerMayShutAnotherRuntimeDown() throws InterruptedException {
    Mely mely = mely(1);
    Mely other = mely(1);
    CountDownLatch done = new CountDownLatch(1);
    mely.execute(
        mely.newColor(),
        () -> {
          other.close();
          done.countDown();
        });
    done.await();
    assertTrue(other.isTerminated());
    mely.close();
  }

  @Test
  void rejectedEventMayNotShutDownEither() throws InterruptedException {
    Mely mely = mely(1);
    blockUntilInterrupted(mely, mely.newColor());
    AtomicReference<@Nullable Throwable> thrown = new AtomicReference<>();
    Handler<String> handler =
        new Handler<>() {
          @Override
          public void handle(String event) {}

          @Override
          protected void rejected(String event) {
            try {
              mely.shutdown(LONG);
            } catch (Throwable t) {
              thrown.set(t);
            }
          }
        };
    mely.register(mely.newColor(), handler, "event");
    ShutdownReport report = mely.shutdown(Duration.ZERO);
    assertInstanceOf(IllegalStateException.class, thrown.get());
    assertEquals(1, report.eventsLeft());
    assertSame(report, mely.shutdown(LONG));
    assertThrows(RejectedExecutionException.class, () -> mely.register(mely.newColor(), tally, 1));
  }

  @Test
  void laterCallsGetTheSameReport() {
    Mely mely = mely(2);
    ShutdownReport report = mely.shutdown(LONG);
    assertSame(report, mely.shutdown(Duration.ZERO));
    mely.close();
    assertSame(report, mely.shutdown(LONG));
  }

  @Test
  void concurrentCallsWaitForTheSameEnd() throws InterruptedException {
    Mely mely = mely(2);
    for (int i = 0; i < 1_000; i++) {
      mely.register(mely.color(i % 10), tally, i);
    }
    ConcurrentLinkedQueue<ShutdownReport> reports = new ConcurrentLinkedQueue<>();
    Threads callers = new Threads();
    for (int i = 0; i < 4; i++) {
      callers.add(
          () -> {
            reports.add(mely.shutdown(LONG));
            assertTrue(mely.isTerminated());
          });
    }
    callers.run();
    assertEquals(4, reports.size());
    reports.forEach(report -> assertSame(reports.peek(), report));
    assertEquals(1_000, tally.ran.get());
  }

  /** An interrupted caller still drains, disturbs no handler, and stays interrupted. */
  @Test
  void callersInterruptIsKept() throws InterruptedException {
    Mely mely = mely(1);
    AtomicBoolean disturbed = new AtomicBoolean();
    CountDownLatch started = new CountDownLatch(1);
    mely.execute(
        mely.newColor(),
        () -> {
          started.countDown();
          try {
            Thread.sleep(50);
          } catch (InterruptedException e) {
            disturbed.set(true);
          }
        });
    started.await();
    mely.register(mely.newColor(), tally, 1);
    Thread.currentThread().interrupt();
    ShutdownReport report = mely.shutdown(LONG);
    assertTrue(Thread.interrupted(), "the flag is still there");
    assertTrue(report.drained());
    assertFalse(disturbed.get());
    assertEquals(1, tally.ran.get());
  }

  @Test
  void nothingIsAcceptedAfterwards() {
    Mely mely = mely(2);
    Color color = mely.newColor();
    mely.close();
    assertThrows(RejectedExecutionException.class, () -> mely.register(color, tally, 1));
    assertThrows(RejectedExecutionException.class, () -> mely.execute(color, () -> {}));
    assertThrows(
        RejectedExecutionException.class,
        () -> mely.schedule(color, tally, 1, Duration.ofMillis(1)));
    assertEquals(0, tally.ran.get());
    assertEquals(0, tally.rejected.size());
  }

  // ---- Races

  /** Producers, handlers and timers that race the end, in many rounds. */
  @Test
  void everyAcceptedEventIsRunOrRejected() throws InterruptedException {
    for (int round = 0; round < 400; round++) {
      SplittableRandom random = new SplittableRandom(round);
      StealPolicy policy = StealPolicyTest.VALID.get(random.nextInt(9));
      Mely mely =
          builder(1 + random.nextInt(3)).policy(policy).spins(random.nextInt(2) * 50).build();
      Race race = new Race(mely, random.split());
      Threads producers = new Threads();
      for (int p = 0; p < 3; p++) {
        SplittableRandom mine = random.split();
        producers.add(() -> race.produce(mine));
      }
      producers.start();
      while (race.accepted.get() < random.nextInt(2_000)) {
        Thread.onSpinWait();
      }
      ShutdownReport report = mely.shutdown(Duration.ofNanos(random.nextInt(3) * 1_000_000));
      producers.join();
      String where = "round " + round + ", " + policy + ", " + report;
      assertEquals(race.accepted.get(), race.ran.get() + race.rejected.get(), where);
      assertTrue(report.eventsLeft() <= race.rejected.get() + race.ticks.rejected.size(), where);
      assertEquals(List.of(), report.stuckCores(), where);
      assertTrue(mely.isTerminated(), where);
      for (Color color : race.colors) {
        assertTrue(color.toString().contains("idle"), () -> where + ": " + color);
      }
      assertTrue(race.timers.stream().allMatch(Timer::isDone), where + ": a timer is still on");
    }
  }

  /** Counts what goes in and what comes out. */
  private static final class Race extends Handler<Object> {
    final Mely mely;
    final Color[] colors = new Color[8];
    final AtomicLong accepted = new AtomicLong();
    final AtomicLong ran = new AtomicLong();
    final AtomicLong rejected = new AtomicLong();
    final ConcurrentLinkedQueue<Timer> timers = new ConcurrentLinkedQueue<>();
    final Tally ticks = new Tally();

    Race(Mely mely, SplittableRandom random) {
      this.mely = mely;
      for (int i = 0; i < colors.length; i++) {
        int core = random.nextInt(mely.cores());
        colors[i] = random.nextInt(8) == 0 ? mely.newPinnedColor(core) : mely.newColor(core);
      }
    }

    void produce(SplittableRandom random) {
      try {
        while (true) {
          int color = random.nextInt(colors.length);
          register(color, random.nextInt(3));
          if (random.nextInt(32) == 0) {
            Duration delay = Duration.ofNanos(random.nextInt(200_000));
            timers.add(mely.schedule(colors[color], ticks, 0, delay));
          }
          if (random.nextInt(64) == 0) {
            Thread.yield();
          }
        }
      } catch (RejectedExecutionException e) {
        // The end.
      }
    }

    private void register(int color, int hops) {
      mely.register(colors[color], this, hops % 2 == 0 ? hops : new ColorTest.Numbered(hops));
      accepted.incrementAndGet();
    }

    @Override
    public void handle(Object event) {
      ran.incrementAndGet();
      int hops = event instanceof ColorTest.Numbered own ? own.number : (int) event;
      if (hops > 0) {
        try {
          register((hops * 5 + colors.length / 2) % colors.length, hops - 1);
        } catch (RejectedExecutionException e) {
          // The end.
        }
      }
    }

    @Override
    protected void rejected(Object event) {
      rejected.incrementAndGet();
    }
  }

  /** What ran and what was rejected. */
  private static final class Tally extends Handler<Integer> {
    final AtomicInteger ran = new AtomicInteger();
    final ConcurrentLinkedQueue<Integer> rejected = new ConcurrentLinkedQueue<>();

    @Override
    public void handle(Integer event) {
      ran.incrementAndGet();
    }

    @Override
    protected void rejected(Integer event) {
      rejected.add(event);
    }
  }

  private Mely mely(int cores) {
    return builder(cores).build();
  }

  private MelyBuilder builder(int cores) {
    return Mely.builder()
        .cores(cores)
        .pinned(false)
        .errorHandler((color, event, error) -> {})
        .threadFactory(
            task -> {
              Thread thread = new Thread(task);
              thread.setDaemon(true);
              threads.add(thread);
              return thread;
            });
  }

  private void block() {
    try {
      unblock.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private void blockUntilInterrupted(Mely mely, Color color) throws InterruptedException {
    CountDownLatch started = new CountDownLatch(1);
    mely.execute(
        color,
        () -> {
          started.countDown();
          block();
        });
    started.await();
  }

  private static void uninterruptibly(CountDownLatch latch) {
    while (true) {
      try {
        latch.await();
        return;
      } catch (InterruptedException e) {
        // Later.
      }
    }
  }
}
