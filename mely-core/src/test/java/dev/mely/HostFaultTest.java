package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What the world throws at a worker, between any two of its steps: a clock that fails, a poller
 * that does. No event is lost, no color stays locked, nobody is taken for asleep.
 */
class HostFaultTest {
  private static final Logger LOG = Logger.getLogger("dev.mely");

  private static final int MANY_CALLS = 60;

  private final List<Object> ran = new ArrayList<>();
  private final Handler<Object> note = Handler.of(ran::add);
  private final Handler<Object> costly = Handler.of(ran::add, Duration.ofMillis(1), 1);

  @BeforeAll
  static void hush() {
    LOG.setLevel(Level.OFF); // each fault is reported
  }

  @AfterAll
  static void speak() {
    LOG.setLevel(null);
  }

  /** The clock fails at one call after the other: while events run, are stolen, while all park. */
  @ParameterizedTest
  @ValueSource(strings = {"all", "time-left", "base", "off"})
  void failingClockLosesNothing(String policy) {
    int struck = 0;
    for (int call = 1; call <= MANY_CALLS; call++) {
      ran.clear();
      StillMely still = new StillMely(2, StealPolicy.parse(policy), 3);
      still.runAll();
      Color[] colors = new Color[4];
      for (int i = 0; i < colors.length; i++) {
        colors[i] = still.mely.newColor(0);
      }
      Timer timer = still.mely.schedule(colors[0], note, "timer", Duration.ofNanos(10));
      for (int i = 0; i < 16; i++) {
        still.mely.register(colors[i % 4], i % 2 == 0 ? costly : note, i);
      }
      still.host.advance(20);
      still.host.failClock(call);
      for (int step = 0; step < 200; step++) {
        still.step(step % 3 == 0 ? 0 : 1);
      }
      struck += still.host.isClockToFail() ? 0 : 1;
      still.host.failClock(0);
      still.runAll();
      still.runAll();
      String where = policy + ", call " + call;
      assertEquals(17, ran.size(), where);
      for (int c = 0; c < 4; c++) {
        int remainder = c;
        List<Object> mine =
            ran.stream().filter(e -> e instanceof Integer i && i % 4 == remainder).toList();
        assertEquals(List.of(c, c + 4, c + 8, c + 12), mine, where);
        assertTrue(colors[c].toString().contains("idle"), where + ": " + colors[c]);
        assertEquals(0, colors[c].pendingCount(), where);
      }
      assertTrue(timer.isDone(), where);
      still.step(0);
      still.step(1);
      still.runAll();
      assertEquals(2, still.scheduler.idle.idle(), where);
      assertEquals(0, still.scheduler.idle.searching(), where);
    }
    assertTrue(struck > 8, struck + " faults struck");
  }

  /** The end of a stolen batch reads the clock, with the color still in hand. */
  @Test
  void faultAtTheEndOfABatchReleasesTheColor() {
    StillMely still = new StillMely(2, StealPolicy.TIME_LEFT, 1);
    Color color = still.mely.newColor(0);
    for (int i = 0; i < 3; i++) {
      still.mely.register(color, costly, i);
    }
    still.stepTo(1, WorkerState.RUN);
    still.stepTo(1, WorkerState.FINISH);
    still.mely.register(still.mely.newPinnedColor(1), Handler.of(e -> {}), "so that it is queued");
    still.host.failClock(1);
    still.step(1);
    assertFalse(still.host.isClockToFail(), "it reads the clock");
    assertEquals(color, still.core(1).batch.color());
    still.step(1);
    assertNull(still.core(1).batch.color());
    assertEquals(2, color.pending());
    still.runAll();
    assertEquals(List.of(0, 1, 2), ran);
    assertEquals(0, color.pending());
  }

  @Test
  void faultBeforeAnEventIsTimedRunsItAllTheSame() {
    StillMely still = new StillMely(1, StealPolicy.OFF);
    Color color = still.mely.newColor();
    Event event = new Numbered(1);
    still.mely.register(color, note, event); // a new handler: it is timed
    still.stepTo(0, WorkerState.RUN);
    still.host.failClock(1);
    still.run(0);
    assertFalse(still.host.isClockToFail());
    assertEquals(List.of(event), ran);
  }

  /** Its handler has run, and the clock cannot say when to run it again. */
  @ParameterizedTest
  @ValueSource(ints = {1, -1, 0})
  void periodicTimerSurvivesAFault(int kind) {
    StillMely still = new StillMely(1, StealPolicy.OFF);
    Handler<Object> fails =
        Handler.of(
            e -> {
              ran.add(e);
              still.host.failClock(1);
            },
            Duration.ofNanos(1),
            1);
    Color color = still.mely.newColor();
    Duration time = Duration.ofNanos(1_000);
    Timer timer =
        kind == 0
            ? still.mely.schedule(color, fails, "event", time)
            : kind > 0
                ? still.mely.scheduleAtFixedRate(color, fails, "event", time, time)
                : still.mely.scheduleWithFixedDelay(color, fails, "event", time, time);
    still.run(0);
    for (int i = 0; i < 3; i++) {
      still.host.failClock(0);
      still.pass(1_000);
    }
    assertEquals(kind == 0 ? 1 : 3, ran.size());
    assertEquals(kind == 0, timer.isDone());
    assertEquals(kind != 0, timer.cancel());
  }

  /** Else a runtime would look quiet while it runs. */
  @Test
  void faultOnTheWayToSleepLeavesNobodyParked() {
    StillMely still = new StillMely(2, StealPolicy.ALL);
    still.stepTo(0, WorkerState.PARK);
    assertTrue(still.core(0).isParked());
    still.host.failClock(1);
    still.step(0);
    assertFalse(still.core(0).isParked());
    assertEquals(0, still.scheduler.idle.idle());
    still.runAll();
    assertEquals(2, still.scheduler.idle.idle());
  }

  /** The color has been claimed, and is in nobody's queue. */
  @Test
  void faultAfterAStealLosesNoColor() {
    StillMely still = new StillMely(2, StealPolicy.TIME_LEFT);
    Color color = still.mely.newColor(0);
    still.mely.register(color, costly, 1);
    still.stepTo(1, WorkerState.SEARCH);
    while (!color.toString().contains("running")) {
      still.host.failClock(1); // nothing else of a search reads it
      still.step(1);
      assertNotEquals(WorkerState.PARK, still.worker(1).state());
    }
    assertFalse(still.host.isClockToFail());
    still.run(1);
    assertEquals(List.of(1), ran);
    assertTrue(color.toString().contains("idle"), color::toString);
  }

  // ---- Pollers

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void wakeUpThatFailsIsTriedAgain(int failures) {
    StillMely still = new StillMely(1, StealPolicy.OFF);
    still.run(0);
    still.step(0);
    still.host.poller(0).wakeupsToFail = failures;
    still.mely.register(still.mely.newColor(), note, "event");
    assertEquals(failures + 1, still.host.poller(0).wakeups);
    assertEquals(0, still.host.poller(0).wakeupsToFail);
    still.run(0);
    assertEquals(List.of("event"), ran);
    assertEquals(
        List.of(), still.errors, "it is logged: there is no color whose handler has failed");
  }

  /** The event is in its color's queue: whoever registered it must not be told otherwise. */
  @Test
  void wakeUpThatAlwaysFailsIsNotTheProducersFault() {
    StillMely still = new StillMely(1, StealPolicy.OFF);
    still.run(0);
    still.step(0);
    still.host.poller(0).wakeupsToFail = 100;
    still.mely.register(still.mely.newColor(), note, "event");
    assertEquals(3, still.host.poller(0).wakeups);
    still.run(0);
    assertEquals(List.of("event"), ran);
  }

  /** Called in vain: a core that nobody can wake up is one that is stuck. */
  @Test
  void coreThatCannotBeWokenUpIsLookedAfter() {
    StillMely still = new StillMely(2, StealPolicy.ALL);
    still.runAll();
    still.step(0);
    still.host.poller(0).wakeupsToFail = 100;
    still.mely.register(still.mely.newColor(0), note, "event");
    for (int i = 0; i < 10; i++) {
      still.host.advance(StillMely.WATCH_NANOS);
      still.run(1);
    }
    assertEquals(List.of("event"), ran);
  }

  /** Such a worker must not spin: it pauses, longer and longer. */
  @Test
  void pollerThatAlwaysFailsIsAskedEverMoreSeldom() {
    StillMely still = new StillMely(1, StealPolicy.OFF);
    still.host.poller(0).pollsToFail = Integer.MAX_VALUE;
    long before = still.host.nanos();
    int polls = 40;
    while (still.host.poller(0).waits.size() < polls) {
      still.step(0);
    }
    assertEquals(polls, still.host.pauses());
    long passed = still.host.nanos() - before;
    assertTrue(passed > 1_000_000_000L, passed + " ns for " + polls + " polls");
    still.mely.register(still.mely.newColor(), note, "event");
    still.run(0);
    assertEquals(List.of("event"), ran);
    still.host.poller(0).pollsToFail = 0;
    still.step(0);
    still.run(0);
    int pauses = still.host.pauses();
    still.step(0);
    assertEquals(pauses, still.host.pauses());
    assertEquals(0, still.core(0).pollFailures());
  }
}
