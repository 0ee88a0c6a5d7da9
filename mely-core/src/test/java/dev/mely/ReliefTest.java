package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A core with work looks beside it: at one that has far more. */
class ReliefTest {
  /** What comes late to core 1 does not go before what has been waiting for long at core 0. */
  @Test
  void coreWithWorkTakesFromOneThatHasFarMore() {
    StillMely still = new StillMely(2, StealPolicy.TIME_LEFT);
    List<Color> own = ownColors(still, 2);
    Color oldest = still.register(Costs.LONG, 1);
    still.register(Costs.LONG, 1);
    still.register(Costs.LONG, 1);
    assertSame(own.get(0), next(still));
    assertSame(oldest, next(still), "three wait there, one here");
    assertSame(own.get(1), next(still));
  }

  @Test
  void coreWithWorkTakesNothingFromOneThatHasLittleMore() {
    StillMely still = new StillMely(2, StealPolicy.TIME_LEFT);
    List<Color> own = ownColors(still, 2);
    still.register(Costs.LONG, 1);
    still.register(Costs.LONG, 1);
    assertSame(own.get(0), next(still));
    assertSame(own.get(1), next(still), "two wait there, one here");
  }

  /** Not even if it took all that was worthy a moment ago, when it had nothing else. */
  @Test
  void coreThatHasStolenBeforeTakesNoMoreThanOthersThen() {
    StillMely still = new StillMely(2, StealPolicy.TIME_LEFT);
    still.register(Costs.LONG, 1);
    assertNotNull(still.search());
    List<Color> own = ownColors(still, 2);
    there(still, Costs.LONG, 2);
    assertSame(own.get(0), next(still));
    assertSame(own.get(1), next(still));
  }

  @Test
  void coreWithWorkLooksAtOneNeighborAfterTheOther() {
    StillMely still = new StillMely(3, StealPolicy.TIME_LEFT);
    List<Color> own = ownColors(still, 3);
    Color far = still.mely.newColor(2);
    still.mely.register(far, Costs.LONG, "event");
    for (int i = 0; i < 5; i++) {
      still.mely.register(still.mely.newColor(2), Costs.LONG, "event");
    }
    assertSame(own.get(0), next(still));
    assertSame(own.get(1), next(still), "nothing waits at core 0");
    assertSame(far, next(still));
  }

  @Test
  void coreWithWorkLooksAtAnotherOneNowAndThen() {
    StillMely still = new StillMely(2, StealPolicy.TIME_LEFT);
    List<Color> own = ownColors(still, 3);
    List<Color> there = there(still, Costs.LONG, 6);
    assertSame(own.get(0), next(still));
    assertSame(there.get(0), next(still));
    assertSame(own.get(1), next(still), "it has just looked");
    assertSame(there.get(1), next(still), "that was a while ago");
    assertSame(own.get(2), next(still));
  }

  @Test
  void coreWithWorkLooksNoMoreOftenThanThat() {
    StillMely still = new StillMely(2, StealPolicy.TIME_LEFT);
    List<Color> own = ownColors(still, takes(still, 60_000), 4);
    List<Color> there = there(still, Costs.LONG, 8);
    assertSame(own.get(0), next(still));
    assertSame(there.get(0), next(still));
    assertSame(own.get(1), next(still));
    assertSame(own.get(2), next(still), "it was its turn again, but it has just looked");
    assertSame(there.get(1), next(still));
  }

  /** However long the stolen one takes: the next is one of its own, or they would starve. */
  @Test
  void coreWithWorkTakesTurns() {
    StillMely still = new StillMely(2, StealPolicy.TIME_LEFT);
    List<Color> own = ownColors(still, 3);
    List<Color> there = there(still, takes(still, 500_000), 8);
    assertSame(own.get(0), next(still));
    assertSame(there.get(0), next(still));
    assertSame(own.get(1), next(still));
    assertSame(there.get(1), next(still));
    assertSame(own.get(2), next(still));
  }

  /** Also if what it has is one color with many events. */
  @Test
  void coreWithOneColorTakesTurnsToo() {
    StillMely still = new StillMely(2, StealPolicy.TIME_LEFT);
    Handler<Object> slow = takes(still, 100_000);
    Color own = ownColors(still, slow, 1).get(0);
    still.mely.register(own, slow, "event");
    still.mely.register(own, slow, "event");
    List<Color> there = there(still, Costs.LONG, 6);
    assertSame(own, next(still));
    assertSame(there.get(0), next(still));
    assertSame(own, next(still));
  }

  /** Short ones that wait for a core must not wait for long ones that come from elsewhere. */
  @Test
  void shortColorsGoBeforeThoseOfAnotherCore() {
    StillMely still = new StillMely(2, StealPolicy.TIME_LEFT);
    Color first = still.mely.newColor(1);
    still.mely.register(first, takes(still, 500_000), "event");
    Color light = still.mely.newColor(1);
    still.mely.register(light, Costs.SHORT, "event");
    there(still, Costs.LONG, 8);
    assertSame(first, next(still));
    assertSame(light, next(still));
  }

  /** In the order of cost, what takes 50 µs is large, and yet goes before what takes 500. */
  @Test
  void cheaperColorsGoBeforeThoseOfAnotherCore() {
    SettingsBuilder settings = new SettingsBuilder();
    settings.cores = 2;
    settings.policy = StealPolicy.TIME_LEFT;
    settings.order = MelyBuilder.Order.CHEAPEST_FIRST;
    StillMely still = new StillMely(settings);
    List<Color> cheaper = ownColors(still, takes(still, 50_000), 2);
    there(still, takes(still, 500_000), 8);
    assertSame(cheaper.get(0), next(still));
    assertSame(cheaper.get(1), next(still));
  }

  @ParameterizedTest
  @ValueSource(strings = {"off", "base", "locality"})
  void whoKnowsNothingOfWorthHasItsOwnColorsFirst(String policy) {
    assertOwnColorsFirst(StealPolicy.parse(policy), Costs.LONG);
  }

  /** Worth a steal for a core that has nothing to do. */
  @Test
  void coreWithWorkTakesNoColorThatIsSoonRun() {
    assertOwnColorsFirst(StealPolicy.TIME_LEFT, Costs.MIDDLE);
  }

  private static void assertOwnColorsFirst(StealPolicy policy, Handler<Object> there) {
    StillMely still = new StillMely(2, policy);
    List<Color> own = ownColors(still, 2);
    there(still, there, 6);
    assertSame(own.get(0), next(still));
    assertSame(own.get(1), next(still));
  }

  @Test
  void staleEntriesDoNotKeepACoreFromItsWork() {
    StillMely still = new StillMely(2, StealPolicy.TIME_LEFT);
    List<Color> own = ownColors(still, 2);
    for (int i = 0; i < 6; i++) {
      still.register(Costs.SHORT, 1);
      still.core(0).stealing.offer(still.mely.newColor(0), 2);
    }
    assertSame(own.get(0), next(still));
    assertSame(own.get(1), next(still));
    assertEquals(2, still.core(0).stealing.size(), "it gave up after four");
  }

  @Test
  void staleEntriesDoNotMakeACoreLookOverloaded() {
    StillMely still = new StillMely(2, StealPolicy.TIME_LEFT);
    List<Color> own = ownColors(still, 2);
    still.register(Costs.LONG, 1);
    for (int i = 0; i < 5; i++) {
      still.core(0).stealing.offer(still.mely.newColor(0), 2);
    }
    assertSame(own.get(0), next(still));
    assertSame(own.get(1), next(still), "one waits there, one here");
  }

  @Test
  void onlyCoreHasNobodyToLookAt() {
    StillMely still = new StillMely(1, StealPolicy.TIME_LEFT);
    still.register(Costs.LONG, 1);
    still.register(Costs.LONG, 1);
    still.run(0);
    assertEquals(List.of(), still.errors);
    assertEquals(0, still.core(0).queue.size());
  }

  /** Of core 1. Each takes so long that the core then looks what there is beside its own. */
  private static List<Color> ownColors(StillMely still, int count) {
    return ownColors(still, takes(still, 100_000), count);
  }

  private static List<Color> ownColors(StillMely still, Handler<Object> handler, int count) {
    List<Color> own = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Color color = still.mely.newColor(1);
      still.mely.register(color, handler, "event");
      own.add(color);
    }
    return own;
  }

  /** Of core 0. */
  private static List<Color> there(StillMely still, Handler<Object> handler, int count) {
    List<Color> there = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      there.add(still.register(handler, 1));
    }
    return there;
  }

  private static Handler<Object> takes(StillMely still, long nanos) {
    return Handler.of(e -> still.host.advance(nanos)).cost(Duration.ofNanos(nanos)).penalty(1);
  }

  /** The color that core 1 runs next. */
  private static @Nullable Color next(StillMely still) {
    while (still.worker(1).state() == WorkerState.RUN) {
      still.step(1);
    }
    still.stepTo(1, WorkerState.RUN);
    return still.core(1).batch.color();
  }
}
