package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The second choice of a thief that finds nothing worthy: what is next where much waits. */
class BacklogTest {
  private static final Handler<Object> UNWORTHY = Costs.of(600, 1);

  /** An idle core that holds back helps nobody: see {@link StealPrice}. */
  @ParameterizedTest
  @ValueSource(strings = {"time-left", "all"})
  void whereMuchWaitsTheNextColorIsTakenThoughNotWorthy(String policy) {
    StillMely still = StillMely.searching(StealPolicy.parse(policy));
    Color first = unworthy(still, StealPrice.MIN_BACKLOG - 1).get(0);
    assertNull(still.search(), "its own core is there soon");
    still.register(UNWORTHY, 1);
    assertSame(first, still.search());
    assertEquals(1, first.core());
  }

  @Test
  void worthyColorsComeFirstThenTheHeavilyPenalizedOnes() {
    StillMely still = StillMely.searching(StealPolicy.ALL);
    Handler<Object> penalized = Costs.of(100_000, 1_000);
    List<Color> large = new ArrayList<>();
    for (int i = 0; i <= StealPrice.MIN_BACKLOG; i++) {
      large.add(still.register(penalized, 1));
    }
    Color light = still.register(Costs.MIDDLE, 1);
    assertSame(light, still.search());
    assertSame(large.get(0), still.search());
    assertSame(large.get(1), still.search(), "the first has proved itself");
  }

  /** Nothing is lost, and nothing moved, where nothing is stolen that waits. */
  @Test
  void pinnedColorsAreNoSecondChoice() {
    StillMely still = StillMely.searching(StealPolicy.ALL);
    List<Color> pinned = new ArrayList<>();
    for (int i = 0; i < 4 * StealPrice.MIN_BACKLOG; i++) {
      pinned.add(still.mely.newPinnedColor(0));
      still.mely.register(pinned.get(i), Costs.SHORT, i);
    }
    assertNull(still.search());
    for (Color color : pinned) {
      assertTrue(color.isQueuedAt(0));
    }
    assertFalse(
        still.scheduler.price.isLong(StealPrice.MIN_BACKLOG), "to look again would be in vain");
    still.run(0);
    assertEquals(pinned.size(), still.mely.inspect().statistics().total().events());
  }

  /** Base stealing loses more than half of the throughput where events are that short. */
  @Test
  void shortEventsAreTriedOnceForEachPowerOfTwo() {
    StillMely still = StillMely.searching(StealPolicy.ALL);
    int colors = 1_000;
    for (int i = 0; i < colors; i++) {
      still.register(Costs.SHORT, 1);
    }
    int steals = 0;
    while (still.search() != null) {
      steals++;
    }
    assertEquals(8, steals, "at 4, 8, 16, and so on to 512");
  }

  /** The worthy are not charged for what others turned out to cost. */
  @Test
  void secondChoiceMakesNoStealDearer() {
    StillMely still = StillMely.searching(StealPolicy.ALL);
    Handler<Object> slow =
        Handler.of(e -> still.host.advance(5_000)).cost(Duration.ofNanos(600)).penalty(1);
    for (int i = 0; i < 100; i++) {
      still.register(slow, 1);
    }
    long before = still.scheduler.price.stealNanos();
    for (int i = 0; i < 20; i++) {
      assertTrue(still.search() != null);
    }
    assertTrue(still.scheduler.price.stealNanos() <= before);
  }

  /** Its entry is still in the queue, ahead of theirs. */
  @Test
  void whatWasStolenDoesNotHideWhatWaitsBehindIt() {
    StillMely still = StillMely.searching(StealPolicy.TIME_LEFT);
    Color worthy = still.register(Costs.MIDDLE, 1);
    List<Color> others = unworthy(still, StealPrice.MIN_BACKLOG);
    assertSame(worthy, still.search());
    assertSame(others.get(0), still.search());
  }

  @Test
  void anotherThiefIsWokenIfMuchIsLeft() {
    StillMely still = oneAsleep();
    int before = still.host.poller(2).wakeups;
    List<Color> waiting = unworthy(still, StealPrice.MIN_BACKLOG + 1);
    assertEquals(before, still.host.poller(2).wakeups);
    assertSame(waiting.get(0), still.search());
    assertEquals(before + 1, still.host.poller(2).wakeups);
  }

  @Test
  void noOtherThiefIsWokenIfLittleIsLeft() {
    StillMely still = oneAsleep();
    int before = still.host.poller(2).wakeups;
    List<Color> waiting = unworthy(still, StealPrice.MIN_BACKLOG);
    assertSame(waiting.get(0), still.search());
    assertEquals(before, still.host.poller(2).wakeups);
  }

  @Test
  void anotherThiefIsWokenForAWorthyColorThatHasComeMeanwhile() {
    StillMely still = oneAsleep();
    int before = still.host.poller(2).wakeups;
    List<Color> waiting = unworthy(still, StealPrice.MIN_BACKLOG);
    while (still.core(0).queue.size() == StealPrice.MIN_BACKLOG) {
      still.step(1); // until it holds one
    }
    still.register(Costs.LONG, 1);
    still.stepTo(0, WorkerState.RUN);
    assertEquals(before, still.host.poller(2).wakeups, "one is searching");
    assertSame(waiting.get(0), still.search());
    assertEquals(before + 1, still.host.poller(2).wakeups);
  }

  /** Where each color is worthy, only those that found no place in the stealing-queue are left. */
  @Test
  void penaltyAloneKnowsNoSecondChoice() {
    StillMely still = StillMely.searching(StealPolicy.PENALTY);
    for (int i = 0; i < 4 * StillMely.STEALING_CAPACITY; i++) {
      still.register(Costs.LONG, 1);
    }
    for (int i = 0; i < StillMely.STEALING_CAPACITY; i++) {
      assertTrue(still.search() != null);
    }
    assertNull(still.search());
  }

  @Test
  void thereIsNoSecondChoiceIfSoConfigured() {
    SettingsBuilder settings = new SettingsBuilder();
    settings.cores = 2;
    settings.spins = 2;
    settings.choosesAgain = false;
    StillMely still = new StillMely(settings);
    unworthy(still, 4 * StealPrice.MIN_BACKLOG);
    assertNull(still.search());
  }

  private static List<Color> unworthy(StillMely still, int count) {
    List<Color> colors = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      colors.add(still.register(UNWORTHY, 1));
    }
    return colors;
  }

  /** Three cores: core 1 looks around, core 2 is asleep. */
  private static StillMely oneAsleep() {
    SettingsBuilder settings = new SettingsBuilder();
    settings.cores = 3;
    settings.spins = 2;
    settings.policy = StealPolicy.TIME_LEFT;
    StillMely still = new StillMely(settings);
    still.run(2);
    return still;
  }
}
