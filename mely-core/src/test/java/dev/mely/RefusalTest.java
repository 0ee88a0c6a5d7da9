package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of a color that a thief at core 1 has found and may not take. */
class RefusalTest {
  /** What a thief has looked at and refused is still run by its own core, once. */
  @ParameterizedTest
  @ValueSource(strings = {"base", "locality", "time-left", "penalty", "all"})
  void refusedColorsStayWhereTheyAre(String policy) {
    StillMely still = new StillMely(2, StealPolicy.parse(policy));
    List<Object> ran = new ArrayList<>();
    Handler<Object> note = Handler.of(ran::add).cost(Duration.ofNanos(1)).penalty(1);
    for (int i = 0; i < 6; i++) {
      Color pinned = still.mely.newPinnedColor(0);
      still.mely.register(pinned, note, i);
    }
    still.run(1);
    assertEquals(List.of(), ran);
    still.run(0);
    assertEquals(6, ran.size());
    assertEquals(List.of(0, 1, 2, 3, 4, 5), ran.stream().sorted().toList());
  }

  /** What was urgent stays so in the hands of a thief that may not keep it. */
  @ParameterizedTest
  @ValueSource(strings = {"ROTATION", "CHEAPEST_FIRST"})
  void urgentColorThatIsPutBackStillGoesFirst(MelyBuilder.Order order) {
    SettingsBuilder settings = new SettingsBuilder();
    settings.cores = 2;
    settings.policy = StealPolicy.BASE;
    settings.order = order;
    StillMely still = new StillMely(settings);
    List<Object> ran = new ArrayList<>();
    Handler<Object> note = Handler.of(ran::add).cost(Duration.ofNanos(10)).penalty(1);
    for (String name : List.of("a", "b")) {
      still.mely.register(still.mely.newPinnedColor(0), note, name);
    }
    still.mely.registerUrgent(still.mely.newPinnedColor(0), note, "urgent");
    assertNull(still.search());
    assertEquals(1, still.core(0).queue.sizes()[TurnOrder.URGENT]);
    still.run(0);
    assertEquals("urgent", ran.get(0));
    assertEquals(3, ran.size());
  }

  @Test
  void fourRefusedColorsDoNotHideTheFifthInAnyLook() {
    StillMely still = new StillMely(2, StealPolicy.BASE);
    List<Color> free = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      pinned(still, 0, 4);
      free.add(still.register(Costs.SHORT, 1));
    }
    for (int i = 0; i < 2; i++) {
      assertSame(free.get(i), still.search());
      assertEquals(i + 1, still.core(1).counters.stealsTried);
    }
  }

  @Test
  void whoIsRefusedAtOneCoreLooksAsLongAtTheNext() {
    StillMely still = new StillMely(3, StealPolicy.BASE);
    pinned(still, 0, 5);
    pinned(still, 2, 3);
    Color free = still.mely.newColor(2);
    still.mely.register(free, Costs.SHORT, "event");
    assertSame(free, still.search());
    assertEquals(1, still.core(1).counters.stealsTried);
  }

  /** It has found its queue empty, and nobody else would wake it. */
  @Test
  void coreThatHasFallenAsleepIsWokenForAColorThatIsPutBack() {
    StillMely still = new StillMely(2, StealPolicy.BASE);
    pinned(still, 0, 2);
    while (still.core(0).queue.size() == 2) {
      still.step(1); // until it holds one
    }
    still.run(0);
    int before = still.host.poller(0).wakeups;
    still.step(1);
    assertEquals(before + 1, still.host.poller(0).wakeups);
    still.run(0);
    assertEquals(2, still.mely.inspect().statistics().cores().get(0).events());
  }

  private static void pinned(StillMely still, int core, int count) {
    for (int i = 0; i < count; i++) {
      still.mely.register(still.mely.newPinnedColor(core), Costs.SHORT, i);
    }
  }
}
