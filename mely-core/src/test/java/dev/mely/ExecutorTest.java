package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

/** A color as an executor, see {@link Mely#executor}. */
class ExecutorTest {
  private final StillMely still = new StillMely(2, StealPolicy.OFF);
  private final Mely mely = still.mely;
  private final List<String> ran = new ArrayList<>();

  @Test
  void tasksAreEventsOfTheColorInOrder() {
    Color color = mely.newColor(0);
    Executor executor = mely.executor(color);
    executor.execute(() -> ran.add("1 " + color.isCurrent()));
    mely.register(color, Handler.of(ran::add), "2");
    mely.executor(color).execute(() -> ran.add("3"));
    still.run(0);
    assertEquals(List.of("1 true", "2", "3"), ran);
  }

  @Test
  void aTaskOfTheColorItselfDoesNotRunAtOnce() {
    Color color = mely.newColor(0);
    Executor executor = mely.executor(color);
    executor.execute(
        () -> {
          executor.execute(() -> ran.add("inner"));
          ran.add("outer");
        });
    still.run(0);
    assertEquals(List.of("outer", "inner"), ran);
  }

  @Test
  void aFutureGoesIntoAColorAndComesBackIntoAnother() {
    Color disk = mely.newColor(0);
    Color connection = mely.newColor(1);
    CompletableFuture.supplyAsync(() -> "page " + disk.isCurrent(), mely.executor(disk))
        .thenAcceptAsync(
            page -> ran.add(page + ", " + connection.isCurrent()), mely.executor(connection));
    still.runAll();
    assertEquals(List.of("page true, true"), ran);
  }

  @Test
  void whatATaskThrowsGoesToTheErrorHandlerUnlessTheTaskKeepsIt() {
    Color color = mely.newColor(0);
    CompletableFuture<Void> kept =
        CompletableFuture.runAsync(ExecutorTest::fail, mely.executor(color));
    still.run(0);
    assertTrue(kept.isCompletedExceptionally());
    assertEquals(List.of(), still.errors);
    mely.executor(color).execute(ExecutorTest::fail);
    still.run(0);
    assertEquals(1, still.errors.size(), still.errors::toString);
  }

  private static void fail() {
    throw new IllegalStateException("planned");
  }

  @Test
  void aColorOfAnotherRuntimeIsRefused() {
    Color foreign = new StillMely(1, StealPolicy.OFF).mely.newColor();
    assertThrows(IllegalArgumentException.class, () -> mely.executor(foreign));
  }

  @Test
  void nothingIsAcceptedAfterTheEnd() {
    Executor executor = mely.executor(mely.newColor());
    mely.shutdown(Duration.ZERO);
    assertThrows(RejectedExecutionException.class, () -> executor.execute(() -> {}));
  }
}
