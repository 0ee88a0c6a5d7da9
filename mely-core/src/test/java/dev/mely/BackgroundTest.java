package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Work that was handed over goes behind the work of those that hand it over. */
class BackgroundTest {
  private final List<Object> ran = new ArrayList<>();

  private Handler.OfAction<Object> costs(Duration time) {
    return Handler.of(ran::add).cost(time).penalty(1);
  }

  private static StillMely cheapestFirst() {
    SettingsBuilder settings = new SettingsBuilder();
    settings.policy = StealPolicy.ALL;
    settings.order = MelyBuilder.Order.CHEAPEST_FIRST;
    return new StillMely(settings);
  }

  private static void register(StillMely still, int colors, Handler<Object> handler, String name) {
    for (int i = 0; i < colors; i++) {
      still.mely.register(still.mely.newColor(0), handler, name);
    }
  }

  @Test
  void longOnesWaitForAtMostFourOthers() {
    StillMely still = cheapestFirst();
    register(still, 3, costs(Duration.ofMillis(1)).background(), "b");
    register(still, 6, costs(Duration.ofMillis(1)), "h");
    register(still, 1, costs(Duration.ofNanos(2_000)).background(), "s");
    still.run(0);
    assertEquals(List.of("s", "h", "h", "h", "h", "b", "h", "h", "b", "b"), ran);
  }

  /** A short signal before each long message: the color is long all the same. */
  @Test
  void allThatIsPendingCounts() {
    StillMely still = cheapestFirst();
    Duration time = Duration.ofMillis(1);
    Handler<Object> takesTime =
        Handler.of(
                event -> {
                  ran.add(event);
                  still.host.advance(time.toNanos()); // so that the batch is over
                })
            .cost(time)
            .penalty(1)
            .background();
    Color mixed = still.mely.newColor(0);
    for (int i = 0; i < 2; i++) {
      still.mely.register(mixed, costs(Duration.ofNanos(100)).background(), "s");
      still.mely.register(mixed, takesTime, "b");
    }
    still.stepTo(0, WorkerState.FINISH);
    assertEquals(List.of("s", "b"), ran, "woken up by a short one");
    register(still, 2, costs(Duration.ofMillis(1)), "h");
    still.run(0);
    assertEquals(List.of("s", "b", "h", "h", "s", "b"), ran);
  }

  /** The tasks of an executor are of many kinds; what may come is what counts. */
  @Test
  void aHandlerWhoseRunsAreSometimesLongIsLong() {
    StillMely still = cheapestFirst();
    Handler<Object> tasks = Handler.of(ran::add).penalty(1).background();
    for (int i = 0; i < 200; i++) {
      tasks.observe(i % 5 == 0 ? 500_000 : 1_000);
    }
    for (int i = 0; i < 60; i++) {
      tasks.observe(1_000);
    }
    assertTrue(tasks.costNanos() < 4_000, "the average of recent runs is short");
    register(still, 1, tasks, "b");
    register(still, 1, costs(Duration.ofMillis(1)), "h");
    still.run(0);
    assertEquals(List.of("h", "b"), ran);
    for (int i = 0; i < 400; i++) {
      tasks.observe(i % 100 == 0 ? 500_000 : 1_000); // a thread may lose its CPU
    }
    register(still, 1, costs(Duration.ofMillis(1)), "h");
    register(still, 1, tasks, "b");
    still.run(0);
    assertEquals(List.of("h", "b", "b", "h"), ran, "it has not been long for a while");
  }

  @Test
  void inRotationItMakesNoDifference() {
    StillMely still = new StillMely(1, StealPolicy.ALL);
    register(still, 2, costs(Duration.ofMillis(1)).background(), "b");
    register(still, 2, costs(Duration.ofMillis(1)), "h");
    still.run(0);
    assertEquals(List.of("b", "b", "h", "h"), ran);
  }

  @Test
  void itIsDeclaredAsTheCostIs() {
    Handler.OfAction<Object> plain = costs(Duration.ofNanos(900)).named("Named");
    Handler.OfAction<Object> behind = plain.background();
    assertFalse(plain.isBackground(), "as it was");
    assertTrue(behind.isBackground());
    assertEquals("Named", behind.stage());
    assertEquals(900, behind.costNanos());
    Duration one = Duration.ofNanos(1);
    assertTrue(behind.named("Other").estimate(one).cost(one).penalty(2).isBackground());
  }

  @Test
  void aHandlerLikeAnotherIsInTheBackgroundAsThatOneIs() {
    for (Handler<?> known : List.of(Handler.of(e -> {}), Handler.of(e -> {}).background())) {
      Handler<Object> like =
          new Handler<>(known) {
            @Override
            public void handle(Object event) {}
          };
      assertEquals(known.isBackground(), like.isBackground());
    }
  }

  @Test
  void tasksOfExecutorsAreInTheBackground() {
    StillMely still = new StillMely(2, StealPolicy.OFF);
    Mely mely = still.mely;
    Color color = mely.newColor(0);
    mely.executor(color).execute(() -> {});
    assertTrue(next(color).isBackground());
    Color submitted = mely.newColor(0);
    CompletableFuture<Integer> unused = mely.submit(submitted, () -> 1);
    assertTrue(next(submitted).isBackground());
    mely.executor().execute(() -> ran.add(runs(still, 0) || runs(still, 1)));
    still.runAll();
    assertEquals(List.of(true), ran);
  }

  private static Handler<?> next(Color color) {
    return Objects.requireNonNull(color.nextHandler());
  }

  private static boolean runs(StillMely still, int core) {
    Handler<?> handler = still.core(core).batch.handler;
    return handler != null && handler.isBackground();
  }
}
