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
import java.util.SplittableRandom;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Timers in virtual time. */
class TimerTest {
  private final StillMely still = new StillMely(2, StealPolicy.OFF, 1);
  private final Mely mely = still.mely;
  private final Color color = mely.newColor(0);
  private final List<Object> seen = new ArrayList<>();
  private final Handler<Object> note = Handler.of(seen::add);

  TimerTest() {
    still.runAll();
  }

  // ---- One-shot

  @Test
  void oneShotFiresOnceWhenItIsDue() {
    Timer timer = mely.schedule(color, note, "event", nanos(1_000));
    still.pass(999);
    assertEquals(List.of(), seen);
    assertFalse(timer.isDone());
    still.pass(1);
    assertEquals(List.of("event"), seen);
    assertTrue(timer.isDone());
    still.pass(1_000_000);
    assertEquals(1, seen.size());
    assertFalse(timer.cancel());
  }

  @Test
  void delayThatIsZeroOrNegativeIsDueAtOnce() {
    mely.schedule(color, note, "zero", Duration.ZERO);
    mely.schedule(color, note, "negative", Duration.ofSeconds(-5));
    still.pass(0);
    assertEquals(2, seen.size());
  }

  @Test
  void delayOfAgesIsAccepted() {
    Timer timer = mely.schedule(color, note, "never", Duration.ofSeconds(Long.MAX_VALUE));
    still.pass(Duration.ofDays(365).toNanos());
    assertEquals(List.of(), seen);
    assertFalse(timer.isDone());
    assertTrue(timer.cancel());
  }

  @Test
  void firesUnderItsColor() {
    Handler<Object> handler =
        Handler.of(
            e -> {
              seen.add(color.isCurrent());
              seen.add(mely.inspect().currentCore());
            });
    mely.schedule(color, handler, "event", nanos(10));
    still.pass(10);
    assertEquals(List.of(true, 0), seen);
  }

  /** The color is the timer's, wherever it has gone in the meantime. */
  @Test
  void followsItsColorToAnotherCore() {
    mely.schedule(
        color, Handler.of(e -> seen.add(mely.inspect().currentCore())), "event", nanos(10));
    assertTrue(color.moveTo(1));
    still.pass(10);
    assertEquals(List.of(1), seen);
  }

  @Test
  void queuesBehindWhatItsColorHas() {
    mely.schedule(color, note, "timer", nanos(10));
    for (int i = 0; i < 3; i++) {
      mely.register(color, note, i);
    }
    still.pass(10);
    assertEquals(List.of(0, 1, 2, "timer"), seen);
  }

  @Test
  void eventsComeInTheOrderOfTheirDeadlines() {
    SplittableRandom random = new SplittableRandom(5);
    int[] delays = random.ints(200, 1, 10_000).distinct().toArray();
    for (int delay : delays) {
      mely.schedule(color, note, delay, nanos(delay));
    }
    still.pass(5_000);
    still.pass(5_000);
    List<Object> expected = new ArrayList<>();
    java.util.Arrays.stream(delays).sorted().forEach(expected::add);
    assertEquals(expected, seen);
  }

  /** The first wakes its core, and the wake-up fails: it is tried again, and no timer is lost. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void faultOfTheWakeUpLosesNoTimer(int by) {
    for (int i = 0; i < 4; i++) {
      mely.schedule(mely.newPinnedColor(0), note, i, nanos(10));
    }
    still.runAll();
    still.host.advance(10);
    int before = still.host.poller(0).wakeups;
    still.host.poller(0).wakeupsToFail = 2;
    still.host.as(by, () -> still.timers.fire(still.core(0), still.host.nanos(), still.core(by)));
    assertEquals(before + 3, still.host.poller(0).wakeups);
    still.runAll();
    assertEquals(List.of(0, 1, 2, 3), seen);
  }

  /** A fault at the first that is due: those behind it must not be lost with it. */
  @Test
  void faultAtOneTimerLosesNoOther() {
    Color busy = mely.newPinnedColor(0);
    for (int i = 0; i < 4; i++) {
      mely.schedule(i == 0 ? busy : mely.newPinnedColor(0), note, i, nanos(10));
    }
    Handler<Object> fires =
        Handler.of(
            e -> {
              still.host.advance(10);
              still.host.whenAsked(
                  () -> {
                    throw new InternalError("planned");
                  });
              still.timers.fire(still.core(0), still.host.nanos(), still.core(0));
            });
    mely.register(busy, fires, "fires");
    still.run(0);
    assertEquals(1, still.errors.size(), "and it is told");
    assertTrue(still.errors.get(0).endsWith("planned"), still.errors.get(0));
    assertEquals(List.of(1, 2, 3), seen);
  }

  @Test
  void sameDeadlineKeepsTheOrderOfScheduling() {
    for (int i = 0; i < 50; i++) {
      mely.schedule(color, note, i, nanos(100));
    }
    still.pass(100);
    List<Object> expected = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      expected.add(i);
    }
    assertEquals(expected, seen);
  }

  // ---- Sleeping until the next deadline

  @Test
  void workerSleepsUntilTheNextDeadline() {
    still.run(0);
    mely.schedule(color, note, "late", nanos(9_000));
    mely.schedule(color, note, "early", nanos(4_000));
    still.host.advance(1_000);
    still.run(0);
    still.step(0);
    assertEquals(3_000, still.host.poller(0).lastWait());
  }

  @Test
  void workerWithoutTimersSleepsForGood() {
    still.run(0);
    still.step(0);
    assertEquals(Long.MAX_VALUE, still.host.poller(0).lastWait());
  }

  @Test
  void onlyAnEarlierDeadlineWakesASleeper() {
    still.run(0);
    FakeHost.FakePoller poller = still.host.poller(0);
    int before = poller.wakeups;
    mely.schedule(color, note, "first", nanos(5_000));
    assertEquals(before + 1, poller.wakeups);
    still.run(0);
    mely.schedule(color, note, "later", nanos(6_000));
    assertEquals(before + 1, poller.wakeups);
    mely.schedule(color, note, "earlier", nanos(4_000));
    assertEquals(before + 2, poller.wakeups);
  }

  // ---- Periodic

  @Test
  void fixedRateKeepsToItsPointsInTime() {
    Handler<Object> slow = takes(30);
    Timer timer = mely.scheduleAtFixedRate(color, slow, "tick", nanos(50), nanos(100));
    for (int i = 0; i < 39; i++) {
      still.pass(10);
    }
    assertEquals(List.of(50L, 150L, 250L, 350L, 450L), seen);
    assertFalse(timer.isDone());
  }

  /** Late: one event after the other, never two pending at once. */
  @Test
  void fixedRateCatchesUp() {
    mely.scheduleAtFixedRate(color, note, "tick", nanos(100), nanos(100));
    still.host.advance(350);
    still.stepTo(0, WorkerState.RUN);
    assertEquals(List.of(), seen);
    still.stepTo(0, WorkerState.FINISH);
    assertEquals(1, seen.size());
    still.pass(0);
    still.pass(0);
    still.pass(0);
    assertEquals(3, seen.size());
    still.pass(49);
    assertEquals(3, seen.size());
    still.pass(1);
    assertEquals(4, seen.size());
  }

  @Test
  void fixedDelayCountsFromTheEndOfTheLast() {
    Handler<Object> slow = takes(30);
    mely.scheduleWithFixedDelay(color, slow, "tick", nanos(50), nanos(100));
    for (int i = 0; i < 40; i++) {
      still.pass(10);
    }
    assertEquals(List.of(50L, 180L, 310L, 440L), seen);
  }

  @Test
  void periodicTimerSurvivesAHandlerThatThrows() {
    Handler<Object> failing =
        Handler.of(
            e -> {
              seen.add(e);
              throw new IllegalStateException("planned");
            });
    mely.scheduleAtFixedRate(color, failing, "tick", nanos(10), nanos(10));
    for (int i = 0; i < 3; i++) {
      still.pass(10);
    }
    assertEquals(3, seen.size());
    assertEquals(3, still.errors.size());
  }

  /** There is no memory for its place among those that wait: it must not vanish without a word. */
  @Test
  void periodicTimerThatCannotWaitAgainIsRejected() throws ReflectiveOperationException {
    List<Object> rejected = new ArrayList<>();
    Timer timer =
        mely.scheduleAtFixedRate(color, new Noting(seen, rejected), "tick", nanos(10), nanos(10));
    mely.schedule(color, note, "other", nanos(100));
    still.pass(10);
    assertEquals(List.of("tick"), seen);
    TimerQueueTest.fillUp(still.core(0).timers);
    still.pass(10);
    assertEquals(List.of("tick", "tick"), seen);
    assertEquals(List.of("tick"), rejected);
    assertTrue(timer.isDone());
    assertEquals(1, still.errors.size());
    still.pass(80);
    assertEquals(List.of("tick", "tick", "other"), seen, "and the others go on");
  }

  @Test
  void periodMustBePositive() {
    for (Duration period : List.of(Duration.ZERO, Duration.ofNanos(-7))) {
      for (Exception e :
          List.of(
              assertThrows(
                  IllegalArgumentException.class,
                  () -> mely.scheduleAtFixedRate(color, note, "x", nanos(1), period)),
              assertThrows(
                  IllegalArgumentException.class,
                  () -> mely.scheduleWithFixedDelay(color, note, "x", nanos(1), period)))) {
        assertTrue(e.getMessage().contains(period.toString()), e.getMessage());
      }
    }
  }

  // ---- Cancel, in each state

  @Test
  void cancelBeforeItIsDue() {
    Timer timer = mely.schedule(color, note, "event", nanos(100));
    assertTrue(timer.cancel());
    assertTrue(timer.isDone());
    assertFalse(timer.cancel());
    still.pass(100);
    assertEquals(List.of(), seen);
  }

  @Test
  void cancelWhileItsEventWaitsForTheColor() {
    Timer timer = mely.schedule(color, note, "event", nanos(100));
    still.host.advance(100);
    still.stepTo(0, WorkerState.RUN);
    assertFalse(timer.isDone());
    assertTrue(timer.cancel());
    assertTrue(timer.isDone());
    mely.register(color, note, "next");
    still.run(0);
    assertEquals(List.of("next"), seen);
  }

  @Test
  void oneShotCannotBeCancelledByItsOwnHandler() {
    Timer[] timer = new Timer[1];
    Handler<Object> handler = Handler.of(e -> seen.add(timer[0].cancel()));
    timer[0] = mely.schedule(color, handler, "event", nanos(100));
    still.pass(100);
    assertEquals(List.of(false), seen);
    assertTrue(timer[0].isDone());
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void periodicTimerMayBeCancelledByItsOwnHandler(boolean rate) {
    Timer[] timer = new Timer[1];
    Handler<Object> handler =
        Handler.of(
            e -> {
              if (seen.size() == 2) {
                seen.add(timer[0].cancel());
              } else {
                seen.add(timer[0].isDone());
              }
            });
    timer[0] =
        rate
            ? mely.scheduleAtFixedRate(color, handler, "tick", nanos(10), nanos(10))
            : mely.scheduleWithFixedDelay(color, handler, "tick", nanos(10), nanos(10));
    for (int i = 0; i < 10; i++) {
      still.pass(10);
    }
    assertEquals(List.of(false, false, true), seen);
    assertTrue(timer[0].isDone());
  }

  @Test
  void periodicTimerMayBeCancelledBetweenTwoTicks() {
    Timer timer = mely.scheduleAtFixedRate(color, note, "tick", nanos(10), nanos(10));
    still.pass(10);
    assertTrue(timer.cancel());
    still.pass(10);
    still.pass(10);
    assertEquals(List.of("tick"), seen);
  }

  // ---- Shutdown

  @Test
  void nothingIsScheduledAfterShutdownBegan() {
    still.scheduler.setPhase(Scheduler.DRAINING);
    assertThrows(RejectedExecutionException.class, () -> mely.schedule(color, note, "x", nanos(1)));
  }

  @Test
  void shutdownDropsWhatIsPendingAndSaysHowMuch() {
    List<Timer> timers = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      timers.add(mely.schedule(mely.newColor(), note, "x", nanos(10)));
    }
    timers.add(mely.scheduleAtFixedRate(color, note, "x", nanos(10), nanos(10)));
    assertTrue(timers.get(0).cancel());
    assertEquals(5, mely.shutdown(Duration.ZERO).timersCancelled());
    for (Timer timer : timers) {
      assertTrue(timer.isDone());
      assertFalse(timer.cancel());
    }
    assertEquals(List.of(), seen);
  }

  /** A timer whose event has been registered, and which shutdown then rejects, is over. */
  @Test
  void timerOfARejectedEventIsDone() {
    Timer timer = mely.schedule(color, note, "x", nanos(10));
    still.host.advance(10);
    still.stepTo(0, WorkerState.PICK);
    assertTrue(color.isQueuedAt(0), "registered");
    ShutdownReport report = mely.shutdown(Duration.ZERO);
    assertEquals(1, report.eventsLeft());
    assertTrue(timer.isDone());
    assertFalse(timer.cancel());
  }

  @Test
  void cancelledEventIsNotLeftOver() {
    List<Object> rejected = new ArrayList<>();
    Handler<Object> handler = new Noting(seen, rejected);
    Timer timer = mely.schedule(color, handler, "cancelled", nanos(10));
    still.host.advance(10);
    still.stepTo(0, WorkerState.PICK);
    assertTrue(color.isQueuedAt(0), "registered");
    mely.register(color, handler, "left");
    assertTrue(timer.cancel());
    ShutdownReport report = mely.shutdown(Duration.ZERO);
    assertEquals(List.of("left"), rejected);
    assertEquals(1, report.eventsLeft());
  }

  private Handler<Object> takes(long nanos) {
    return Handler.of(
        e -> {
          seen.add(still.host.nanos() - start);
          still.host.advance(nanos);
        });
  }

  private final long start = still.host.nanos();

  private static Duration nanos(long nanos) {
    return Duration.ofNanos(nanos);
  }
}
