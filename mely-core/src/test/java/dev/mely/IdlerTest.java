package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What a worker does that has nothing to run: looks around, ever more seldom, and sleeps. */
class IdlerTest {
  private final List<Object> ran = new ArrayList<>();
  private final Handler<Object> note = Handler.of(ran::add);

  @Test
  void looksAreTwiceAsFarApartEachTimeUpToAMaximum() {
    List<Integer> rounds =
        IntStream.rangeClosed(1, 200)
            .filter(round -> Idler.looksAround(round - 1))
            .boxed()
            .toList();
    assertEquals(List.of(1, 2, 4, 8, 16, 32, 64, 96, 128, 160, 192), rounds);
  }

  @Test
  void idleCoreLooksAtOthersEverMoreSeldom() {
    StillMely still = spinning(2, StealPolicy.ALL, 40);
    still.run(1);
    assertEquals(6, still.core(1).counters.stealsTried, "in the rounds 1, 2, 4, 8, 16, 32");
  }

  /** It may have become worth it. */
  @Test
  void coreThatHadSomethingToRunLooksOftenAgain() {
    StillMely still = spinning(2, StealPolicy.ALL, 40);
    while (still.core(1).counters.stealsTried < 5) {
      still.step(1);
    }
    still.mely.register(still.mely.newPinnedColor(1), note, "its own");
    still.stepTo(1, WorkerState.RUN);
    still.run(1);
    assertEquals(List.of("its own"), ran);
    assertEquals(5 + 6, still.core(1).counters.stealsTried);
  }

  @Test
  void coreThatDoesNotStealLooksAtItsOwnQueueAsOftenAsIsSet() {
    StillMely still = spinning(1, StealPolicy.OFF, 5);
    for (int i = 0; i < 5; i++) {
      assertEquals(WorkerState.PICK, still.step(0), "look " + i);
    }
    assertEquals(WorkerState.PUBLISH, still.step(0));
  }

  @Test
  void coreThatDoesNotStealLooksAsOftenAgainAfterItHadSomethingToRun() {
    StillMely still = spinning(1, StealPolicy.OFF, 5);
    for (int i = 0; i < 3; i++) {
      still.step(0);
    }
    still.mely.register(still.mely.newColor(), note, "event");
    still.stepTo(0, WorkerState.FINISH);
    still.step(0);
    for (int i = 0; i < 5; i++) {
      assertEquals(WorkerState.PICK, still.step(0), "look " + i);
    }
    assertEquals(WorkerState.PUBLISH, still.step(0));
  }

  /** Else no other thief is called as long as it runs. */
  @Test
  void calledThiefThatFindsWorkOfItsOwnSearchesNoLonger() {
    StillMely still = new StillMely(2, StealPolicy.ALL);
    still.mely.register(still.mely.newColor(0), Handler.of(e -> {}), "keeps core 0 busy");
    still.stepTo(0, WorkerState.RUN);
    still.run(1);
    still.step(1);
    still.register(Costs.LONG, 3);
    assertEquals(1, still.scheduler.idle.searching(), "it is called");
    still.mely.register(still.mely.newPinnedColor(1), note, "its own");
    still.stepTo(1, WorkerState.RUN);
    assertEquals(0, still.scheduler.idle.searching());
    still.run(1);
    assertEquals(List.of("its own"), ran);
  }

  /** Nobody will wake it. */
  @Test
  void coreDoesNotFallAsleepAfterTheEnd() {
    StillMely still = new StillMely(1, StealPolicy.OFF);
    still.stepTo(0, WorkerState.RECHECK);
    still.scheduler.setPhase(Scheduler.CLOSED);
    assertEquals(WorkerState.PICK, still.step(0));
    assertEquals(WorkerState.EXIT, still.step(0));
    assertFalse(still.core(0).isParked());
  }

  @Test
  void coreThatLeavesWhileItSearchesIsNotCountedAsSearching() {
    StillMely still = spinning(2, StealPolicy.ALL, 40);
    still.stepTo(1, WorkerState.SEARCH);
    assertEquals(1, still.scheduler.idle.searching());
    still.scheduler.setPhase(Scheduler.CLOSED);
    still.stepTo(1, WorkerState.EXIT);
    assertEquals(0, still.scheduler.idle.searching());
  }

  /** Else a runtime that has worked meanwhile could look as if it had been at rest. */
  @Test
  void eachEndOfASleepIsCounted() {
    StillMely still = new StillMely(1, StealPolicy.OFF);
    still.run(0);
    int before = still.core(0).wakes.getPlain();
    for (int i = 1; i <= 3; i++) {
      still.step(0);
      still.mely.register(still.mely.newColor(), note, i);
      still.run(0);
      assertEquals(before + i, still.core(0).wakes.getPlain());
    }
  }

  @Test
  void eachColorThatBeginsIsCounted() {
    StillMely still = new StillMely(1, StealPolicy.OFF);
    int before = still.core(0).epoch.getPlain();
    for (int i = 1; i <= 3; i++) {
      still.mely.register(still.mely.newColor(), note, i);
      still.run(0);
      assertEquals(before + i, still.core(0).epoch.getPlain());
    }
  }

  @Test
  void sleepIsNoBusyTime() {
    StillMely still = new StillMely(1, StealPolicy.OFF);
    still.host.advance(100);
    still.run(0);
    still.step(0);
    still.host.advance(1_000);
    assertEquals(1_000, slept(still), "while it sleeps");
    still.mely.register(still.mely.newColor(), note, "event");
    still.run(0);
    still.host.advance(10_000);
    assertEquals(1_000, slept(still));
  }

  private static long slept(StillMely still) {
    return still.core(0).counters.parkedNanos(still.host.nanos());
  }

  private static StillMely spinning(int cores, StealPolicy policy, int spins) {
    SettingsBuilder settings = new SettingsBuilder();
    settings.cores = cores;
    settings.policy = policy;
    settings.spins = spins;
    return new StillMely(settings);
  }
}
