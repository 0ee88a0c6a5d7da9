package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Registration that races the end, and what counts as quiet. */
@Timeout(300)
class SchedulerTest {
  private final List<Object> ran = new ArrayList<>();
  private final List<Object> rejected = new ArrayList<>();
  private final Handler<Object> handler = new Noting(ran, rejected);

  /** One event of many makes it worthy: more entries would only be stale ones. */
  @Test
  void colorIsOfferedToThievesOnceWhileItWaits() {
    StillMely still = new StillMely(2, StealPolicy.TIME_LEFT);
    Handler<Object> costly = Handler.of(ran::add).cost(Duration.ofNanos(500)).penalty(1);
    Color color = still.mely.newColor(0);
    for (int i = 0; i < 100; i++) {
      still.mely.register(color, costly, i);
    }
    assertEquals(1, still.core(0).stealing.size());
  }

  /** A producer has found the runtime open; all is over before its event is in. */
  @Test
  void lateProducerRejectsItsOwnEvent() {
    for (StealPolicy policy : StealPolicyTest.VALID) {
      StillMely still = new StillMely(1, policy);
      Color color = still.mely.newColor();
      still.mely.register(color, handler, "early");
      still.stepTo(0, WorkerState.RUN);
      still.host.whenAsked(
          () -> {
            still.scheduler.setPhase(Scheduler.CLOSED);
            still.stepTo(0, WorkerState.EXIT);
            still.mely.shutdown(Duration.ZERO);
          });
      still.mely.register(color, handler, "late");
      assertEquals(List.of("late"), rejected, policy.toString());
      assertTrue(color.toString().contains("idle"), color::toString);
      rejected.clear();
    }
  }

  /** The color is running when the runtime closes, so the producer leaves its event to the core. */
  @Test
  void workerRejectsWhatComesWhileItRunsTheColor() {
    StillMely still = new StillMely(1, StealPolicy.ALL);
    Color color = still.mely.newColor();
    still.mely.register(color, handler, "first");
    still.stepTo(0, WorkerState.RUN);
    still.host.whenAsked(() -> still.scheduler.setPhase(Scheduler.CLOSED));
    still.mely.register(color, handler, "late");
    assertEquals(List.of(), rejected);
    still.stepTo(0, WorkerState.EXIT);
    assertEquals(List.of("first"), ran);
    assertEquals(List.of("late"), rejected);
  }

  /** A thief that polls in a core's place may lose its CPU: the core must not burn its own then. */
  @Test
  void workerThatFindsItsPollerTakenPausesAndTriesAgain() {
    StillMely still = new StillMely(1, StealPolicy.ALL);
    assertTrue(still.core(0).tryLockPoller());
    still.stepTo(0, WorkerState.WAKE);
    assertEquals(1, still.host.pauses());
    still.stepTo(0, WorkerState.PARK);
    still.stepTo(0, WorkerState.WAKE);
    assertEquals(2, still.host.pauses());
    assertEquals(0, still.host.poller(0).waits.size());
    still.core(0).unlockPoller();
    still.stepTo(0, WorkerState.PARK);
    still.stepTo(0, WorkerState.WAKE);
    assertEquals(2, still.host.pauses());
    assertEquals(1, still.host.poller(0).waits.size());
  }

  /** An event that hops from core to core ahead of the look: somebody is always at work. */
  @Test
  void quietIsNotFooledByAnEventThatHops() throws InterruptedException {
    StillMely still = new StillMely(2, StealPolicy.OFF);
    Quiescence quiet = new Quiescence(still.scheduler);
    Core[] cores = {still.core(0), still.core(1)};
    cores[1].parked.setVolatile(Core.PARKED);
    AtomicBoolean over = new AtomicBoolean();
    AtomicBoolean fooled = new AtomicBoolean();
    new Threads()
        .add(
            () -> {
              for (int hop = 0; !over.get(); hop++) {
                Core from = cores[hop % 2];
                Core to = cores[(hop + 1) % 2];
                to.parked.setVolatile(Core.AWAKE);
                to.epoch.setOpaque(to.epoch.getPlain() + 1);
                from.parked.setVolatile(Core.PARKED);
              }
            })
        .add(
            () -> {
              for (int look = 0; look < 3_000_000 && !fooled.get(); look++) {
                if (quiet.isQuiescent()) {
                  fooled.set(true);
                }
              }
              over.set(true);
            })
        .run();
    assertFalse(fooled.get());
    cores[0].parked.setVolatile(Core.PARKED);
    cores[1].parked.setVolatile(Core.PARKED);
    assertTrue(quiet.isQuiescent());
  }

  @Test
  void waitingColorIsNotQuiet() {
    StillMely still = new StillMely(2, StealPolicy.OFF);
    Quiescence quiet = new Quiescence(still.scheduler);
    assertFalse(quiet.isQuiescent(), "the workers have not come to rest");
    still.runAll();
    assertTrue(quiet.isQuiescent());
    still.mely.register(still.mely.newColor(1), handler, "event");
    assertFalse(quiet.isQuiescent());
    still.run(1);
    assertTrue(quiet.isQuiescent());
  }
}
