package dev.mely;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.report.ShutdownReport;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A shutdown: pending events run first; and which threads may shut down. */
@Timeout(300)
class ShutdownTest {
  private static final Duration LONG = Duration.ofSeconds(60);

  private final Runtimes runtimes = new Runtimes();
  private final Tally tally = new Tally();

  @AfterEach
  void noThreadIsLeft() throws InterruptedException {
    runtimes.end();
  }

  // ---- Asking for it

  /** It changes nothing, and is told what was wrong; nor is it taken for the end's own handler. */
  @Test
  void deadlineThatIsMissingIsRefused() {
    Mely mely = runtimes.mely(2);
    for (int i = 0; i < 2; i++) {
      Exception e = assertThrows(NullPointerException.class, () -> mely.shutdown(none()));
      assertTrue(e.getMessage().contains("deadline"), e.getMessage());
      assertFalse(mely.isShutdown());
    }
    mely.register(mely.newColor(), tally, 1);
    assertEquals(new ShutdownReport(true, 0, 0, List.of()), mely.shutdown(LONG));
    assertEquals(1, tally.ran.get());
    assertThrows(NullPointerException.class, () -> mely.shutdown(none()));
    mely.close();
  }

  /** A runtime that is part of something else: that says no, in a handler too, and nothing ends. */
  @Test
  void whoeverOwnsTheRuntimeMayRefuseItsEnd() throws Exception {
    AtomicBoolean mayEnd = new AtomicBoolean();
    Mely mely =
        Mely.builder()
            .cores(1)
            .shutdownGuard(
                () -> {
                  if (!mayEnd.get()) {
                    throw new IllegalStateException("end the owner");
                  }
                })
            .build();
    Runnable refused =
        () -> {
          for (Runnable end : List.<Runnable>of(mely::close, () -> mely.shutdown(Duration.ZERO))) {
            Exception e = assertThrows(IllegalStateException.class, end::run);
            assertEquals("end the owner", e.getMessage());
          }
        };
    refused.run();
    AtomicReference<Throwable> inHandler = new AtomicReference<>(new AssertionError("never ran"));
    CountDownLatch ran = new CountDownLatch(1);
    mely.execute(
        mely.color(0),
        () -> {
          try {
            refused.run();
            inHandler.set(null);
          } catch (Throwable t) {
            inHandler.set(t);
          } finally {
            ran.countDown();
          }
        });
    assertTrue(ran.await(120, TimeUnit.SECONDS));
    assertEquals(null, inHandler.get());
    assertFalse(mely.isShutdown());
    mayEnd.set(true);
    ShutdownReport report = mely.shutdown(LONG);
    assertTrue(report.drained());
    mayEnd.set(false);
    mely.close(); // it has ended: nobody is asked any more
    assertSame(report, mely.shutdown(LONG));
  }

  @SuppressWarnings("NullAway") // that is the point
  private static Duration none() {
    return null;
  }

  /** A lack of memory ends a call when all workers have been told: the next one drains no more. */
  @Test
  void callThatFailsMayBeMadeAgain() {
    StillMely still = new StillMely(new SettingsBuilder());
    still.mely.schedule(still.mely.newColor(), tally, 1, LONG);
    still.mely.register(still.mely.newColor(), tally, 2);
    still.host.failThreads();
    assertThrows(OutOfMemoryError.class, () -> still.mely.shutdown(Duration.ZERO));
    assertTrue(still.mely.isShutdown());
    ShutdownReport report = // the clock stands still: to drain would never end
        assertTimeoutPreemptively(Duration.ofMinutes(2), () -> still.mely.shutdown(LONG));
    assertEquals(new ShutdownReport(false, 1, 1, List.of()), report);
    assertEquals(report, still.mely.shutdown(LONG));
  }

  // ---- Draining

  @Test
  void runsWhatIsPending() {
    Mely mely = runtimes.mely(2);
    for (int i = 0; i < 10_000; i++) {
      mely.register(mely.color(i % 100), tally, i);
    }
    assertEquals(new ShutdownReport(true, 0, 0, List.of()), mely.shutdown(LONG));
    assertEquals(10_000, tally.ran.get());
    assertEquals(0, tally.rejected.size());
    assertTrue(mely.isShutdown());
    assertTrue(mely.inspect().isTerminated());
    assertFalse(runtimes.isAnyAlive());
  }

  @Test
  void idleRuntimeEndsAtOnce() {
    Mely mely = runtimes.mely(3);
    assertFalse(mely.isShutdown());
    assertFalse(mely.inspect().isTerminated());
    assertEquals(new ShutdownReport(true, 0, 0, List.of()), mely.shutdown(LONG));
    assertTrue(mely.inspect().isTerminated());
  }

  /** What handlers register while the runtime drains still runs. */
  @Test
  void chainsRunToTheirEnd() {
    Mely mely = runtimes.mely(2);
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
      Mely mely = runtimes.builder(2).policy(StealPolicy.OFF).spins(0).build();
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
    Mely mely = runtimes.mely(2);
    Color color = mely.newColor();
    CountDownLatch started = new CountDownLatch(1);
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    mely.execute(
        color,
        () -> {
          started.countDown();
          runtimes.block();
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
    runtimes.unblock.countDown();
    closing.join();
    assertEquals(null, failure.get());
    assertEquals(2, tally.ran.get());
    assertEquals(0, tally.rejected.size());
  }

  // ---- Who may call it

  @Test
  void handlerMayNotShutItsOwnRuntimeDown() throws InterruptedException {
    Mely mely = runtimes.mely(2);
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
    Mely mely = runtimes.mely(1);
    Mely other = runtimes.mely(1);
    CountDownLatch done = new CountDownLatch(1);
    mely.execute(
        mely.newColor(),
        () -> {
          other.close();
          done.countDown();
        });
    done.await();
    assertTrue(other.inspect().isTerminated());
    mely.close();
  }

  @Test
  void rejectedEventMayNotShutDownEither() throws InterruptedException {
    Mely mely = runtimes.mely(1);
    runtimes.blockUntilInterrupted(mely, mely.newColor());
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
    Mely mely = runtimes.mely(2);
    ShutdownReport report = mely.shutdown(LONG);
    assertSame(report, mely.shutdown(Duration.ZERO));
    mely.close();
    assertSame(report, mely.shutdown(LONG));
  }

  @Test
  void concurrentCallsWaitForTheSameEnd() throws InterruptedException {
    Mely mely = runtimes.mely(2);
    for (int i = 0; i < 1_000; i++) {
      mely.register(mely.color(i % 10), tally, i);
    }
    ConcurrentLinkedQueue<ShutdownReport> reports = new ConcurrentLinkedQueue<>();
    Threads callers = new Threads();
    for (int i = 0; i < 4; i++) {
      callers.add(
          () -> {
            reports.add(mely.shutdown(LONG));
            assertTrue(mely.inspect().isTerminated());
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
    Mely mely = runtimes.mely(1);
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
    Mely mely = runtimes.mely(2);
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
}
