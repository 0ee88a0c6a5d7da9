package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who is woken, and that the counts come out even (Tokio #1788, #4383; cats-effect #3586). */
@Timeout(60)
class IdleCoresTest {
  private final StillMely still = new StillMely(3, StealPolicy.ALL);
  private final IdleCores idle = new IdleCores();
  private final Core[] cores = {still.core(0), still.core(1), still.core(2)};

  @BeforeEach
  void forgetWhatHappenedAtTheStart() {
    for (int i = 0; i < 3; i++) {
      still.host.poller(i).wakeups = 0;
    }
  }

  @Test
  void sleeperIsWokenOnce() {
    idle.publishParked(cores[0]);
    assertTrue(cores[0].isParked());
    assertEquals(1, idle.idle());
    assertTrue(idle.wakeHome(cores[0]));
    assertFalse(idle.wakeHome(cores[0]));
    assertEquals(1, wakeups(0));
    assertEquals(0, idle.idle());
    assertFalse(idle.retractParked(cores[0]), "not called to search");
    assertEquals(0, idle.idle());
  }

  @Test
  void coreThatIsAwakeIsNotWoken() {
    assertFalse(idle.wakeHome(cores[0]));
    assertEquals(0, wakeups(0));
  }

  @Test
  void sleeperThatWakesUpByItselfIsNotIdleAnyMore() {
    idle.publishParked(cores[0]);
    assertFalse(idle.retractParked(cores[0]));
    assertEquals(0, idle.idle());
    assertFalse(idle.wakeHome(cores[0]));
  }

  @Test
  void oneThiefIsCalledAtATime() {
    idle.publishParked(cores[1]);
    idle.publishParked(cores[2]);
    assertTrue(idle.mayCallThief());
    assertTrue(idle.callThief(cores));
    assertEquals(0, wakeups(0), "awake already");
    assertEquals(1, wakeups(1), "the first that sleeps");
    assertFalse(idle.mayCallThief());
    assertFalse(idle.callThief(cores), "one is on its way");
    assertEquals(0, wakeups(2));
    assertTrue(idle.retractParked(cores[1]), "called: it counts as searching");
    assertEquals(1, idle.searching());
    assertTrue(idle.stopSearching());
    assertTrue(idle.callThief(cores));
    assertEquals(1, wakeups(2));
    assertTrue(idle.retractParked(cores[2]));
    assertTrue(idle.stopSearching());
    assertEquals(0, idle.idle());
    assertEquals(0, idle.searching());
  }

  @Test
  void callWithoutASleeperLeavesNoTrace() {
    assertFalse(idle.mayCallThief());
    assertFalse(idle.callThief(cores));
    assertEquals(0, idle.searching());
  }

  @Test
  void calledThiefIsNotWokenAgainByItsHome() {
    idle.publishParked(cores[0]);
    assertTrue(idle.callThief(cores));
    assertFalse(idle.wakeHome(cores[0]), "it is on its way and will look into its own ring first");
    assertEquals(1, wakeups(0));
    assertEquals(0, idle.idle());
  }

  @Test
  void searcherKeepsOthersFromBeingCalled() {
    idle.publishParked(cores[1]);
    idle.startSearching();
    assertFalse(idle.mayCallThief());
    assertFalse(idle.callThief(cores));
    assertTrue(idle.stopSearching());
    assertTrue(idle.mayCallThief());
  }

  @Test
  void twoWatchersAreEnough() {
    assertFalse(idle.isWatched());
    assertTrue(idle.startWatching());
    assertTrue(idle.startWatching());
    assertFalse(idle.startWatching());
    idle.stopWatching();
    assertTrue(idle.isWatched());
    idle.stopWatching();
    assertFalse(idle.isWatched());
    assertTrue(idle.startWatching());
  }

  /** Sleepers, callers and wakers at once: the counts never go wrong for good. */
  @Test
  void countsComeOutEven() throws InterruptedException {
    int rounds = 3_000;
    AtomicInteger sleepersLeft = new AtomicInteger(cores.length);
    Threads threads = new Threads();
    for (Core core : cores) {
      threads.add(
          () -> {
            for (int r = 0; r < rounds; r++) {
              idle.publishParked(core);
              if ((r & 7) == 0) {
                Thread.yield();
              }
              if (idle.retractParked(core)) {
                idle.stopSearching();
              }
            }
            sleepersLeft.decrementAndGet();
          });
    }
    threads.add(
        () -> {
          while (sleepersLeft.get() > 0) {
            idle.callThief(cores);
            Thread.yield();
          }
        });
    threads.add(
        () -> {
          while (sleepersLeft.get() > 0) {
            for (Core core : cores) {
              idle.wakeHome(core);
            }
            Thread.yield();
          }
        });
    threads.run();
    assertEquals(0, idle.idle());
    assertEquals(0, idle.searching());
  }

  private int wakeups(int core) {
    return still.host.poller(core).wakeups;
  }
}
