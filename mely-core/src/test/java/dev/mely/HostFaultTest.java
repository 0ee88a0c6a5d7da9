package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.Mely.Timer;
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
 * Faults of a worker's environment: out of memory at the start of a step, a failing poller. No
 * event is lost, no color stays claimed, and no running worker counts as parked.
 */
class HostFaultTest {
  private static final Logger LOG = Logger.getLogger("dev.mely");

  private static final int MANY_STEPS = 200;

  private final List<Object> ran = new ArrayList<>();
  private final Handler<Object> note = Handler.of(ran::add);
  private final Handler<Object> costly = Handler.of(ran::add).cost(Duration.ofMillis(1)).penalty(1);

  @BeforeAll
  static void hush() {
    LOG.setLevel(Level.OFF); // each fault is reported
  }

  @AfterAll
  static void speak() {
    LOG.setLevel(null);
  }

  /** Before one step after the other: while events run, are stolen, while all park. */
  @ParameterizedTest
  @ValueSource(strings = {"all", "time-left", "base", "off"})
  void lackOfMemoryLosesNothing(String policy) {
    for (int failed = 0; failed < MANY_STEPS; failed++) {
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
      for (int step = 0; step < MANY_STEPS; step++) {
        int core = step % 3 == 0 ? 0 : 1;
        if (step == failed) {
          still.fail(core);
        } else {
          still.step(core);
        }
      }
      still.runAll();
      still.runAll();
      String where = policy + ", step " + failed;
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
  }

  /** Else a runtime would look quiet while it runs. */
  @Test
  void faultOnTheWayToSleepLeavesNobodyParked() {
    StillMely still = new StillMely(2, StealPolicy.ALL);
    still.stepTo(0, WorkerState.PARK);
    assertTrue(still.core(0).isParked());
    still.fail(0);
    assertFalse(still.core(0).isParked());
    assertEquals(0, still.scheduler.idle.idle());
    still.runAll();
    assertEquals(2, still.scheduler.idle.idle());
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

  /** The event is in its color's queue: its producer must not get an exception. */
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
      still.host.advance(StillMely.STUCK_NANOS);
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
