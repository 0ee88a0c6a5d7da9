package dev.mely;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.report.ShutdownReport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A runtime that ends before all is done: what is left is rejected. */
@Timeout(300)
class ShutdownDeadlineTest {
  private final Runtimes runtimes = new Runtimes();
  private final Tally tally = new Tally();

  @AfterEach
  void noThreadIsLeft() throws InterruptedException {
    runtimes.end();
  }

  @Test
  void deadlineRejectsWhatIsLeft() throws InterruptedException {
    Mely mely = runtimes.mely(1);
    Color busy = mely.newColor();
    runtimes.blockUntilInterrupted(mely, busy);
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
    assertTrue(mely.inspect().isTerminated());
  }

  /** The close of a try block returns no report: the log says what was left, once. */
  @Test
  void closeSaysWhatWasLeft() throws InterruptedException {
    try (LogTap log = new LogTap("dev.mely")) {
      Mely mely =
          runtimes
              .builder(1)
              .closeTimeout(Duration.ofMillis(7))
              .reportBlockedAfter(Duration.ZERO)
              .build();
      Color color = mely.newColor();
      runtimes.blockUntilInterrupted(mely, color);
      for (int i = 0; i < 3; i++) {
        mely.register(color, tally, i);
      }
      mely.register(mely.newColor(), tally, 3);
      mely.schedule(color, tally, 4, Duration.ofDays(1));
      mely.close();
      assertEquals(0, tally.ran.get());
      assertEquals(4, mely.shutdown(Duration.ZERO).eventsLeft());
      mely.close();
      assertEquals(1, log.warnings().size(), () -> log.warnings().toString());
      String warning = log.warnings().get(0);
      for (String part : List.of("7 ms", "4 events rejected", "timers cancelled: 1")) {
        assertTrue(warning.contains(part), () -> part + " in: " + warning);
      }
      assertFalse(warning.contains("still in a handler"), warning);
    }
  }

  @Test
  void closeNamesTheCoresThatAreStuck() throws InterruptedException {
    try (LogTap log = new LogTap("dev.mely")) {
      Mely mely =
          runtimes.builder(2).closeTimeout(Duration.ZERO).reportBlockedAfter(Duration.ZERO).build();
      CountDownLatch started = new CountDownLatch(1);
      Color color = mely.newPinnedColor(1);
      mely.execute(
          color,
          () -> {
            started.countDown();
            Runtimes.uninterruptibly(runtimes.unblock);
          });
      started.await();
      mely.close();
      List<String> warnings = log.warnings();
      assertEquals(1, warnings.size(), warnings::toString);
      assertTrue(warnings.get(0).contains("cores still in a handler: ["), warnings::toString);
      assertTrue(mely.shutdown(Duration.ZERO).stuckCores().contains(1));
    }
  }

  @Test
  void closeThatLeavesNothingSaysNothing() {
    try (LogTap log = new LogTap("dev.mely")) {
      Mely mely = runtimes.mely(1);
      mely.register(mely.newColor(), tally, 1);
      mely.schedule(mely.newColor(), tally, 2, Duration.ofDays(1));
      mely.close();
      assertEquals(1, tally.ran.get());
      assertEquals(List.of(), log.warnings());
    }
  }

  /** A caller-owned event that was rejected belongs to its owner again. */
  @Test
  void rejectedEventMayBeUsedAgain() throws InterruptedException {
    Mely mely = runtimes.mely(1);
    runtimes.blockUntilInterrupted(mely, mely.newColor());
    Numbered event = new Numbered(0);
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
    try (Mely other = runtimes.mely(1)) {
      CountDownLatch ran = new CountDownLatch(1);
      other.register(other.newColor(), Handler.<Event>of(e -> ran.countDown()), event);
      ran.await();
    }
  }

  @Test
  void handlerThatIgnoresTheEndIsReported() throws InterruptedException {
    Mely mely = runtimes.mely(2);
    AtomicInteger interrupts = new AtomicInteger();
    CountDownLatch started = new CountDownLatch(1);
    Color color = mely.newPinnedColor(1);
    mely.execute(
        color,
        () -> {
          started.countDown();
          while (runtimes.unblock.getCount() > 0) {
            try {
              runtimes.unblock.await();
            } catch (InterruptedException e) {
              interrupts.incrementAndGet();
            }
          }
        });
    started.await();
    mely.register(color, tally, 1);
    ShutdownReport report = mely.shutdown(Duration.ZERO);
    assertFalse(report.drained());
    assertTrue(report.stuckCores().contains(1), report::toString);
    await().until(() -> interrupts.get() > 0); // it may be slow to notice
    assertFalse(mely.inspect().isTerminated());
    assertEquals(0, tally.ran.get());
    runtimes.unblock.countDown();
    await().until(mely.inspect()::isTerminated);
    assertEquals(1, interrupts.get(), "interrupted once");
    assertEquals(0, tally.ran.get(), "nothing runs after the end");
    assertEquals(List.of(1), List.copyOf(tally.rejected));
  }

  /** Its worker is at a core where a color is being rejected by another thread. */
  @Test
  void colorUnderRejectionIsNotCurrentForAStuckHandler() throws InterruptedException {
    Mely mely = runtimes.mely(1);
    Color waiting = mely.newColor();
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch rejecting = new CountDownLatch(1);
    CountDownLatch looked = new CountDownLatch(1);
    AtomicBoolean current = new AtomicBoolean();
    mely.execute(
        mely.newColor(),
        () -> {
          started.countDown();
          Runtimes.uninterruptibly(rejecting);
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
            Runtimes.uninterruptibly(looked);
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
      Mely mely = runtimes.mely(1);
      runtimes.blockUntilInterrupted(mely, mely.newColor());
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
}
