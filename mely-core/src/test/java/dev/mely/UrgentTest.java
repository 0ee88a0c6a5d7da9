package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

/** Events that go ahead of other colors, and never of their own (requirements A2, A3). */
class UrgentTest {
  private final StillMely still = new StillMely(1, StealPolicy.ALL);
  private final Mely mely = still.mely;
  private final List<Object> ran = new ArrayList<>();
  private final Handler<Object> note = Handler.of(ran::add).cost(Duration.ofNanos(1)).penalty(1);
  private final Color a = mely.newColor();
  private final Color b = mely.newColor();
  private final Color c = mely.newColor();

  @Test
  void goesAheadOfColorsThatWait() {
    mely.register(a, note, "a");
    mely.register(b, note, "b");
    mely.registerUrgent(c, note, "c");
    still.run(0);
    assertEquals(List.of("c", "a", "b"), ran);
  }

  @Test
  void urgentColorsAmongThemselvesAreInOrder() {
    mely.register(a, note, "a");
    mely.registerUrgent(c, note, "c");
    mely.registerUrgent(b, note, "b");
    still.run(0);
    assertEquals(List.of("c", "b", "a"), ran);
  }

  @Test
  void colorThatWaitsAlreadyKeepsItsPlace() {
    mely.register(a, note, "a");
    mely.register(b, note, "b1");
    mely.registerUrgent(b, note, "b2");
    still.run(0);
    assertEquals(List.of("a", "b1", "b2"), ran);
  }

  @Test
  void neverOvertakesItsOwnColor() {
    mely.register(a, note, "a");
    mely.registerUrgent(c, note, "c1");
    mely.register(c, note, "c2");
    mely.registerUrgent(c, note, "c3");
    still.run(0);
    assertEquals(List.of("c1", "c2", "c3", "a"), ran);
  }

  @Test
  void handlersOwnColorGoesOnInOrder() {
    Handler<Object> root =
        Handler.of(
            e -> {
              ran.add("root");
              mely.register(a, note, "a1");
              mely.registerUrgent(a, note, "a2");
              mely.register(a, note, "a3");
            });
    mely.register(a, root, "event");
    still.run(0);
    assertEquals(List.of("root", "a1", "a2", "a3"), ran);
  }

  /** The steps of a request, each under another color, are not torn apart. */
  @Test
  void chainOfARequestRunsInARow() {
    Handler<Object> second =
        Handler.of(
            e -> {
              ran.add("second");
              mely.registerUrgent(c, note, "third");
            });
    Handler<Object> first =
        Handler.of(
            e -> {
              ran.add("first");
              mely.registerUrgent(b, second, e);
            });
    mely.register(a, first, "request");
    for (int i = 0; i < 5; i++) {
      mely.register(mely.newColor(), note, "other");
    }
    still.run(0);
    assertEquals(List.of("first", "second", "third"), ran.subList(0, 3));
    assertEquals(8, ran.size());
  }

  /** A chain without an end holds up nobody for ever. */
  @Test
  void othersAreNotStarved() {
    Handler<Color> endless =
        new Handler<>(Work.MEASURED.cost(Duration.ofNanos(1)).penalty(1)) {
          @Override
          public void handle(Color other) {
            ran.add("urgent");
            mely.registerUrgent(other, this, other == a ? b : a);
          }
        };
    mely.registerUrgent(a, endless, b);
    for (int i = 0; i < 10; i++) {
      mely.register(mely.newColor(), note, i);
    }
    int bound = 10 * Turns.max(false);
    for (int i = 0; i < 10 * bound && others().size() < 10; i++) {
      still.step(0);
    }
    assertEquals(List.of(0, 1, 2, 3, 4, 5, 6, 7, 8, 9), others());
    int urgent = ran.size() - 10;
    assertTrue(urgent <= bound, "urgent events before them: " + urgent);
    assertTrue(urgent > 20, "urgent events go first: " + urgent);
  }

  /** Urgent stays urgent where cheap colors go first, however long it takes. */
  @Test
  void goesAheadOfCheapColors() {
    SettingsBuilder settings = new SettingsBuilder();
    settings.order = MelyBuilder.Order.CHEAPEST_FIRST;
    StillMely ordered = new StillMely(settings);
    Handler<Object> heavy = Handler.of(ran::add).cost(Duration.ofMillis(5)).penalty(1);
    ordered.mely.register(ordered.mely.newColor(), note, "cheap");
    ordered.mely.registerUrgent(ordered.mely.newColor(), heavy, "urgent");
    ordered.run(0);
    assertEquals(List.of("urgent", "cheap"), ran);
  }

  @Test
  void sleepingCoreIsWoken() {
    still.run(0);
    int before = still.host.poller(0).wakeups;
    mely.registerUrgent(a, note, "a");
    assertEquals(before + 1, still.host.poller(0).wakeups);
    still.run(0);
    assertEquals(List.of("a"), ran);
  }

  @Test
  void urgentColorsAreStolenToo() {
    StillMely two = new StillMely(2, StealPolicy.TIME_LEFT);
    Handler<Object> heavy =
        Handler.of(e -> ran.add(two.mely.inspect().currentCore()))
            .cost(Duration.ofMillis(1))
            .penalty(1);
    two.mely.registerUrgent(two.mely.newColor(0), heavy, "event");
    two.run(1);
    assertEquals(List.of(1), ran);
  }

  @Test
  void errorsAreThoseOfOtherEvents() {
    Numbered event = new Numbered(1);
    mely.registerUrgent(a, note, event);
    assertTrue(event.isPending());
    assertThrows(IllegalStateException.class, () -> mely.registerUrgent(a, note, event));
    Color foreign = new StillMely(1, StealPolicy.OFF).mely.newColor();
    assertThrows(IllegalArgumentException.class, () -> mely.registerUrgent(foreign, note, "event"));
    mely.shutdown(Duration.ZERO);
    Numbered late = new Numbered(2);
    assertThrows(RejectedExecutionException.class, () -> mely.registerUrgent(a, note, late));
    assertFalse(late.isPending());
    assertEquals(List.of(), ran);
  }

  private List<Object> others() {
    return ran.stream().filter(e -> e instanceof Integer).toList();
  }
}
