package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.Mely.Timer;
import dev.mely.report.ShutdownReport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Timers whose events ask for several colors, or only read one. */
class TimedGrantTest {
  private final StillMely still = new StillMely(2, StealPolicy.OFF);
  private final Mely mely = still.mely;
  private final Color a = mely.newColor(0);
  private final Color b = mely.newColor(1);
  private final List<Object> seen = new ArrayList<>();
  private final Handler<Object> note =
      new Handler<>() {
        @Override
        public void handle(Object event) {
          seen.add(event);
        }

        @Override
        protected void rejected(Object event) {
          seen.add("rejected " + event);
        }
      };

  TimedGrantTest() {
    still.runAll();
  }

  /** Until all cores are asleep: what one of them grants may run on another. */
  private void pass(long nanos) {
    still.pass(nanos);
    still.runAll();
    still.runAll();
  }

  private Timer schedule(Permissions asked, Object event) {
    return mely.schedule(asked, note, event, Duration.ofNanos(100));
  }

  @Test
  void itRunsOnceWithAllThatItAskedForWhenItIsDue() {
    Handler<Object> both =
        Handler.of(e -> seen.add(e + ", " + a.isCurrent() + ", " + b.isCurrent()));
    Timer timer = mely.schedule(Permissions.write(a, b), both, "event", Duration.ofNanos(100));
    pass(99);
    assertEquals(List.of(), seen);
    assertFalse(timer.isDone());
    pass(1);
    assertEquals(List.of("event, true, true"), seen);
    assertTrue(timer.isDone());
    assertFalse(timer.cancel());
    pass(1_000);
    assertEquals(1, seen.size());
    assertTrue(mely.shutdown(Duration.ZERO).drained());
  }

  @Test
  void oneWriterNothingAndAReaderAreAskedForAsWell() {
    schedule(Permissions.write(a), "writer");
    schedule(Permissions.none(), "free");
    schedule(Permissions.read(a), "reader");
    pass(100);
    assertEquals(3, seen.size());
    assertTrue(seen.containsAll(List.of("writer", "free", "reader")), seen::toString);
  }

  @Test
  void itWaitsForItsColorsOnlyWhenItIsDue() {
    schedule(Permissions.write(a, b), "timer");
    mely.register(a, note, "first");
    mely.register(Permissions.write(a, b), note, "second");
    pass(100);
    assertEquals(List.of("first", "second", "timer"), seen);
  }

  @Test
  void cancelledBeforeItIsDueItNeverRuns() {
    Timer timer = schedule(Permissions.write(a, b), "event");
    assertTrue(timer.cancel());
    assertFalse(timer.cancel());
    assertTrue(timer.isDone());
    pass(1_000);
    assertEquals(List.of(), seen);
    assertEquals(0, mely.shutdown(Duration.ZERO).timersCancelled());
  }

  /** The event waits for a color that another event has: it takes its turn, unheard. */
  @Test
  void cancelledWhileItWaitsForItsColorsItLetsThemGoOn() {
    Timer timer = schedule(Permissions.write(a, b), "event");
    mely.register(a, Handler.of(e -> seen.add(timer.cancel())), "canceller");
    fire();
    pass(0);
    assertEquals(List.of(true), seen);
    assertTrue(timer.isDone());
    mely.register(Permissions.write(a, b), note, "next");
    pass(0);
    assertEquals(List.of(true, "next"), seen);
    assertTrue(mely.shutdown(Duration.ZERO).drained());
  }

  /** All timers of core 0 are due, and their events registered; no core has run anything yet. */
  private void fire() {
    still.host.advance(100);
    still.timers.fire(still.core(0), still.host.nanos(), still.core(0));
  }

  @Test
  void aRunningHandlerCannotCancelItself() {
    AtomicReference<Timer> timer = new AtomicReference<>();
    Handler<Object> cancel =
        Handler.of(
            e -> {
              seen.add(timer.get().isDone());
              seen.add(timer.get().cancel());
            });
    timer.set(mely.schedule(Permissions.write(a, b), cancel, "event", Duration.ZERO));
    pass(0);
    assertEquals(List.of(false, false), seen);
    assertTrue(timer.get().isDone());
  }

  @Test
  void whatItsHandlerThrowsIsReportedAndTheColorsGoOn() {
    Handler<Object> fail =
        Handler.of(
            e -> {
              throw new IllegalStateException("planned");
            });
    Timer timer = mely.schedule(Permissions.write(a, b), fail, "event", Duration.ZERO);
    pass(0);
    assertEquals(List.of("event: java.lang.IllegalStateException: planned"), still.errors);
    assertTrue(timer.isDone());
    mely.register(Permissions.write(a, b), note, "next");
    pass(0);
    assertEquals(List.of("next"), seen);
  }

  @Test
  void itsHandlerMayFork() {
    Handler<Object> fork =
        Handler.of(
            e ->
                mely.fork()
                    .child(Permissions.write(a), note, "child of a")
                    .child(Permissions.write(b), note, "child of b")
                    .then(failures -> seen.add("end")));
    mely.schedule(Permissions.write(a, b), fork, "event", Duration.ZERO);
    pass(0);
    pass(0);
    assertEquals(3, seen.size(), seen::toString);
    assertEquals("end", seen.get(2));
  }

  @Test
  void shutdownDropsThoseThatAreNotDue() {
    Timer timer = schedule(Permissions.write(a, b), "event");
    ShutdownReport report = mely.shutdown(Duration.ZERO);
    assertEquals(1, report.timersCancelled());
    assertTrue(report.drained());
    assertTrue(timer.isDone());
    assertEquals(List.of(), seen, "as with a color");
    assertThrows(
        RejectedExecutionException.class, () -> schedule(Permissions.write(a, b), "too late"));
  }

  /** Due, and behind an event that never has its turn. */
  @Test
  void shutdownRejectsThoseThatWaitForTheirColors() {
    Timer timer = schedule(Permissions.read(a, b), "event");
    mely.register(a, note, "first");
    fire();
    ShutdownReport report = mely.shutdown(Duration.ZERO);
    assertEquals(2, report.eventsLeft());
    assertEquals(0, report.timersCancelled());
    assertTrue(seen.containsAll(List.of("rejected first", "rejected event")), seen::toString);
    assertEquals(2, seen.size(), seen::toString);
    assertTrue(timer.isDone());
  }

  @Test
  void whatIsWrongIsRefused() {
    Color foreign = new StillMely(1, StealPolicy.OFF).mely.newColor();
    assertThrows(
        IllegalArgumentException.class, () -> schedule(Permissions.write(a, foreign), "event"));
    Permissions apart = Permissions.write(mely.newPinnedColor(0), mely.newPinnedColor(1));
    assertThrows(IllegalArgumentException.class, () -> schedule(apart, "event"));
    assertThrows(IllegalArgumentException.class, () -> mely.executor(apart));
    assertTrue(mely.shutdown(Duration.ZERO).drained());
  }

  // ---- An executor of permissions

  @Test
  void tasksOfAnExecutorHaveAllThatItAsksFor() {
    mely.executor(Permissions.write(a, b))
        .execute(() -> seen.add(a.isCurrent() + ", " + b.isCurrent()));
    mely.executor(Permissions.write(a)).execute(() -> seen.add("one"));
    pass(0);
    pass(0);
    assertEquals(List.of("true, true", "one"), seen);
  }
}
