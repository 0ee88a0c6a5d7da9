package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Rest is two collects that agree; one look at each core is not enough. */
class QuiescenceTest {
  private static final int CORES = 3;

  private final StillMely still = new StillMely(CORES, StealPolicy.OFF);
  private final Quiescence quiet = new Quiescence(still.scheduler);
  private final Handler<Object> nothing = Handler.of(e -> {});

  @BeforeEach
  void rest() {
    still.runAll();
  }

  @Test
  void everyCoreIsLookedAtTwice() {
    for (int i = 1; i < 2 * CORES; i++) {
      assertFalse(quiet.look(), "look " + i);
      assertTrue(quiet.isUnderWay());
    }
    assertTrue(quiet.look());
    assertFalse(quiet.isUnderWay());
    assertTrue(quiet.isQuiescent(), "again");
  }

  @Test
  void waitingColorIsNoRest() {
    for (int core = 0; core < CORES; core++) {
      still.mely.register(still.mely.newColor(core), nothing, "event");
      assertFalse(quiet.isQuiescent(), "core " + core);
      assertFalse(still.mely.inspect().isQuiescent(), "core " + core);
      still.run(core);
      assertTrue(quiet.isQuiescent());
      assertTrue(still.mely.inspect().isQuiescent());
    }
  }

  @Test
  void urgentColorIsNoRest() {
    still.mely.registerUrgent(still.mely.newColor(1), nothing, "event");
    assertFalse(quiet.isQuiescent());
  }

  /** Its queue is empty, and what it holds may register anything. */
  @Test
  void runningColorIsNoRest() {
    still.mely.register(still.mely.newColor(2), nothing, "event");
    still.stepTo(2, WorkerState.RUN);
    assertTrue(still.core(2).queue.isEmpty());
    assertFalse(quiet.isQuiescent());
    still.run(2);
    assertTrue(quiet.isQuiescent());
  }

  /** An event leaves each core just before that is looked at. */
  @Test
  void eventThatHopsAheadOfTheLooksIsFound() {
    int[] at = {0};
    Handler<Object> hop =
        new Handler<>() {
          @Override
          public void handle(Object event) {
            at[0] = (at[0] + CORES - 1) % CORES;
            still.mely.register(still.mely.newColor(at[0]), this, event);
          }
        };
    still.mely.register(still.mely.newColor(0), hop, "event");
    int next = 0;
    for (int look = 0; look < 100; look++) {
      if (at[0] == next) {
        still.run(next);
      }
      assertTrue(still.core(next).queue.isEmpty(), "it is elsewhere");
      assertFalse(quiet.look(), "look " + look);
      next = quiet.isUnderWay() ? (next + 1) % CORES : 0;
    }
  }

  /** A core that woke up and ran nothing may have taken an entry and given it to another. */
  @Test
  void coreThatWokeUpInBetweenIsFound() {
    for (int core = 0; core < CORES; core++) {
      for (int i = 0; i < CORES + core; i++) {
        assertFalse(quiet.look()); // the next: this core for the second time
      }
      still.step(core); // PARK: its wait is over
      still.run(core);
      assertFalse(quiet.look());
      assertFalse(quiet.isUnderWay(), "it begins anew");
      assertEquals(2 * CORES, looksUntilQuiet(quiet));
    }
  }

  private static int looksUntilQuiet(Quiescence quiet) {
    for (int looks = 1; looks < 100; looks++) {
      if (quiet.look()) {
        return looks;
      }
    }
    throw new AssertionError("never quiet");
  }
}
