package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which worker is woken, and that the counts add up (Tokio #1788, #4383; cats-effect #3586). */
@Timeout(300)
class IdleCoresTest {
  private final StillMely still = new StillMely(3, StealPolicy.ALL);
  private final StillMely large = new StillMely(4, StealPolicy.ALL);
  private final IdleCores idle = new IdleCores(0, 0, 0);
  private final Core[] cores = {still.core(0), still.core(1), still.core(2)};

  @BeforeEach
  void forgetWhatHappenedAtTheStart() {
    for (int i = 0; i < 3; i++) {
      still.host.poller(i).wakeups = 0;
    }
    for (int i = 0; i < 4; i++) {
      large.host.poller(i).wakeups = 0;
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
    assertTrue(idle.mayCallThief(cores[0]));
    assertTrue(idle.callThief(cores[0], cores));
    assertEquals(0, wakeups(0), "awake already");
    assertEquals(1, wakeups(1), "the first that sleeps");
    assertFalse(idle.mayCallThief(cores[0]));
    assertFalse(idle.callThief(cores[0], cores), "one is on its way");
    assertEquals(0, wakeups(2));
    assertTrue(idle.retractParked(cores[1]), "called: it counts as searching");
    assertEquals(Core.AWAKE, cores[1].parked.getVolatile(), "for a dump: not called any more");
    assertEquals(1, idle.searching());
    idle.stopSearching(cores[0]);
    assertTrue(idle.callThief(cores[0], cores));
    assertEquals(1, wakeups(2));
    assertTrue(idle.retractParked(cores[2]));
    idle.stopSearching(cores[0]);
    assertEquals(0, idle.idle());
    assertEquals(0, idle.searching());
  }

  @Test
  void callWithoutASleeperLeavesNoTrace() {
    assertFalse(idle.mayCallThief(cores[0]));
    assertFalse(idle.callThief(cores[0], cores));
    assertEquals(0, idle.searching());
  }

  @Test
  void calledThiefIsNotWokenAgainByItsHome() {
    idle.publishParked(cores[0]);
    assertTrue(idle.callThief(cores[0], cores));
    assertFalse(idle.wakeHome(cores[0]), "it is on its way and will look into its own ring first");
    assertEquals(1, wakeups(0));
    assertEquals(0, idle.idle());
  }

  @Test
  void searcherKeepsOthersFromBeingCalled() {
    idle.publishParked(cores[1]);
    idle.startSearching(cores[0]);
    assertFalse(idle.mayCallThief(cores[0]));
    assertFalse(idle.callThief(cores[0], cores));
    idle.stopSearching(cores[0]);
    assertTrue(idle.mayCallThief(cores[0]));
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

  // ---- Several caches: 0 and 1 share one, 2 and 3 another

  @Test
  void nearSleeperIsPreferred() {
    IdleCores two = new IdleCores(0, 0, 1, 1);
    Core[] four = four();
    sleep(two, 1, 2, 3);
    assertTrue(two.mayCallThief(four[0]));
    assertTrue(two.callThief(four[0], new Core[] {four[1], four[2], four[3]}));
    assertEquals(List.of(0, 1, 0, 0), wakeups());
    assertEquals(2, two.idle());
  }

  @Test
  void oneThiefSearchesPerCache() {
    IdleCores two = new IdleCores(0, 0, 1, 1);
    Core[] four = four();
    Core[] near0 = {four[1], four[2], four[3]};
    Core[] near2 = {four[3], four[0], four[1]};
    sleep(two, 1, 3);
    assertTrue(two.callThief(four[0], near0));
    assertFalse(two.mayCallThief(four[0]), "one is on its way");
    assertFalse(two.callThief(four[0], near0), "nor is a far one called beside it");
    assertTrue(two.mayCallThief(four[2]), "none in the other cache");
    assertTrue(two.callThief(four[2], near2));
    assertFalse(two.mayCallThief(four[2]));
    assertEquals(2, two.searching());
    assertEquals(List.of(0, 1, 0, 1), wakeups());
    assertTrue(two.retractParked(four[1]));
    two.stopSearching(four[1]);
    assertTrue(two.retractParked(four[3]));
    assertFalse(two.mayCallThief(four[0]), "nobody sleeps");
    two.publishParked(four[1]);
    assertTrue(two.mayCallThief(four[0]), "the near one has given up");
    assertFalse(two.mayCallThief(four[2]), "the far one still searches");
    two.stopSearching(four[3]);
    assertEquals(0, two.searching());
  }

  /** Nobody near sleeps: a far one is called, but not a second of its cache. */
  @Test
  void farSleeperIsCalledIfNoneIsNear() {
    IdleCores two = new IdleCores(0, 0, 1, 1);
    Core[] four = four();
    Core[] near0 = {four[1], four[2], four[3]};
    sleep(two, 2, 3);
    assertTrue(two.callThief(four[0], near0));
    assertEquals(List.of(0, 0, 1, 0), wakeups());
    assertTrue(two.mayCallThief(four[0]), "its own cache has no searcher");
    assertFalse(two.callThief(four[0], near0));
    assertEquals(List.of(0, 0, 1, 0), wakeups());
    assertEquals(1, two.searching());
    assertEquals(1, two.idle());
  }

  @Test
  void searcherOfAnotherCacheKeepsNobodyFromBeingCalled() {
    IdleCores two = new IdleCores(0, 0, 1, 1);
    Core[] four = four();
    two.startSearching(four[3]);
    sleep(two, 1);
    assertTrue(two.mayCallThief(four[0]));
    assertTrue(two.callThief(four[0], new Core[] {four[1], four[2], four[3]}));
    assertEquals(2, two.searching());
    two.stopSearching(four[3]);
    two.stopSearching(four[1]);
    assertEquals(0, two.searching());
  }

  /** Callers alone never make two of one cache search. */
  @Test
  void callersNeverCallTwoOfOneCache() throws InterruptedException {
    IdleCores two = new IdleCores(0, 0, 1, 1);
    Core[] four = four();
    int rounds = 3_000;
    AtomicInteger[] called = {new AtomicInteger(), new AtomicInteger()};
    AtomicInteger tooMany = new AtomicInteger();
    AtomicInteger calls = new AtomicInteger();
    AtomicInteger sleepersLeft = new AtomicInteger(four.length);
    Threads threads = new Threads();
    for (Core core : four) {
      AtomicInteger mine = called[core.index / 2];
      threads.add(
          () -> {
            for (int r = 0; r < rounds; r++) {
              two.publishParked(core);
              if ((r & 7) == 0) {
                Thread.yield();
              }
              if (two.retractParked(core)) {
                calls.incrementAndGet();
                if (mine.incrementAndGet() > 1) {
                  tooMany.incrementAndGet();
                }
                mine.decrementAndGet();
                two.stopSearching(core);
              }
            }
            sleepersLeft.decrementAndGet();
          });
    }
    for (int victim : new int[] {0, 2}) {
      Core[] others = {four[victim ^ 1], four[victim ^ 2], four[victim ^ 3]};
      threads.add(
          () -> {
            while (sleepersLeft.get() > 0) {
              two.callThief(four[victim], others);
              if (two.searching() > 2) {
                tooMany.incrementAndGet();
              }
              Thread.yield();
            }
          });
    }
    threads.run();
    assertEquals(0, tooMany.get());
    assertTrue(calls.get() > 0, "nobody was called");
    assertEquals(0, two.searching());
    assertEquals(0, two.idle());
  }

  private Core[] four() {
    return new Core[] {large.core(0), large.core(1), large.core(2), large.core(3)};
  }

  /** These sleep. */
  private void sleep(IdleCores two, int... sleepers) {
    for (int core : sleepers) {
      two.publishParked(large.core(core));
    }
  }

  private List<Integer> wakeups() {
    return IntStream.range(0, 4).mapToObj(i -> large.host.poller(i).wakeups).toList();
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
                idle.stopSearching(core);
              }
            }
            sleepersLeft.decrementAndGet();
          });
    }
    threads.add(
        () -> {
          while (sleepersLeft.get() > 0) {
            idle.callThief(cores[0], cores);
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
