package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A task whose result is a future, see {@link Mely#submit}. */
class SubmitTest {
  private final StillMely still = new StillMely(2, StealPolicy.OFF);
  private final Mely mely = still.mely;
  private final Color color = mely.newColor(0);
  private final List<Object> ran = new ArrayList<>();

  @Test
  void theFutureCompletesWithTheValueInTheOrderOfTheColor() {
    mely.execute(color, () -> ran.add("before"));
    CompletableFuture<String> result =
        mely.submit(color, () -> ran + " in the color: " + color.isCurrent());
    mely.execute(color, () -> ran.add("after"));
    assertFalse(result.isDone());
    still.run(0);
    assertEquals("[before] in the color: true", result.join());
    assertEquals(List.of("before", "after"), ran);
  }

  @Test
  void aTaskMayReturnNull() {
    CompletableFuture<Object> result = mely.submit(color, () -> null);
    still.run(0);
    assertTrue(result.isDone());
    assertSame(null, result.join());
  }

  @ParameterizedTest
  @ValueSource(
      classes = {Exception.class, IllegalStateException.class, Error.class, OutOfMemoryError.class})
  void whatTheTaskThrowsCompletesTheFuture(Class<? extends Throwable> type) throws Exception {
    Throwable planned = type.getConstructor(String.class).newInstance("planned");
    CompletableFuture<Object> result =
        mely.submit(
            color,
            () -> {
              throwUnchecked(planned);
              return "never";
            });
    mely.execute(color, () -> ran.add("next"));
    still.run(0);
    assertSame(planned, assertThrows(CompletionException.class, result::join).getCause());
    assertEquals(List.of("next"), ran, "color and worker go on");
    assertEquals(List.of(), still.errors, "the future has it");
    assertEquals(0, mely.inspect().statistics().total().errors());
  }

  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <T extends Throwable> void throwUnchecked(Throwable any) throws T {
    throw (T) any;
  }

  @Test
  void aFutureThatIsCancelledBeforeItsTurnIsNotRun() {
    CompletableFuture<Boolean> cancelled = mely.submit(color, () -> ran.add("cancelled"));
    CompletableFuture<Boolean> completed = mely.submit(color, () -> ran.add("completed"));
    mely.submit(color, () -> ran.add("last"));
    assertTrue(cancelled.cancel(true));
    assertTrue(completed.complete(false));
    still.run(0);
    assertEquals(List.of("last"), ran);
    assertTrue(cancelled.isCancelled());
    assertEquals(List.of(), still.errors);
  }

  @Test
  void aTaskMayCancelItsOwnFuture() {
    List<CompletableFuture<String>> own = new ArrayList<>();
    own.add(
        mely.submit(
            color,
            () -> {
              own.get(0).cancel(true);
              return "too late";
            }));
    still.run(0);
    assertTrue(own.get(0).isCancelled());
  }

  @Test
  void dependentsRunInTheColorUnlessTheyAreAsync() {
    Color other = mely.newColor(1);
    CompletableFuture<String> result = mely.submit(color, () -> "value");
    result.thenRun(() -> ran.add("color " + color.isCurrent()));
    result.thenRunAsync(() -> ran.add("other " + other.isCurrent()), mely.executor(other));
    still.runAll();
    assertEquals(List.of("color true", "other true"), ran);
    result.thenRun(() -> ran.add("late " + color.isCurrent()));
    assertEquals("late false", ran.get(2), "on the thread that adds it");
  }

  @Test
  void aDependentThatThrowsHarmsNeitherTheColorNorItsSiblings() {
    CompletableFuture<String> result = mely.submit(color, () -> "value");
    result.thenRun(() -> ran.add("sibling"));
    CompletableFuture<Void> failed = result.thenRun(() -> throwUnchecked(new Error("planned")));
    mely.execute(color, () -> ran.add("next"));
    still.run(0);
    assertEquals(List.of("sibling", "next"), ran);
    assertTrue(failed.isCompletedExceptionally());
  }

  /** A future whose completion finds no memory a few times. */
  private static final class Short extends CompletableFuture<String> {
    private int faults;

    Short(int faults) {
      this.faults = faults;
    }

    @Override
    public boolean completeExceptionally(Throwable cause) {
      if (faults-- > 0) {
        throw new OutOfMemoryError("planned");
      }
      return super.completeExceptionally(cause);
    }
  }

  @Test
  void aCompletionThatFindsNoMemoryIsTriedAgain() throws Exception {
    for (int faults = 0; faults < 4; faults++) {
      Short thrown = new Short(faults);
      Submission<String> task =
          new Submission<>(
              () -> {
                throw new OutOfMemoryError("of the task");
              },
              thrown);
      mely.register(color, Submission.HANDLER, task);
      still.run(0);
      assertEquals(faults < 3, thrown.isCompletedExceptionally(), "tries: " + faults);
    }
    Short rejected = new Short(2);
    mely.register(color, Submission.HANDLER, new Submission<>(() -> "never", rejected));
    mely.shutdown(Duration.ZERO);
    assertTrue(rejected.isCompletedExceptionally());
  }

  @Test
  void afterTheEndNothingIsAccepted() {
    mely.shutdown(Duration.ZERO);
    assertThrows(RejectedExecutionException.class, () -> mely.submit(color, () -> "never"));
  }

  @Test
  void aTaskThatIsRejectedAtTheEndCompletesItsFuture() {
    CompletableFuture<Boolean> result = mely.submit(color, () -> ran.add("never"));
    assertEquals(1, mely.shutdown(Duration.ZERO).eventsLeft());
    Throwable why = assertThrows(CompletionException.class, result::join).getCause();
    assertInstanceOf(RejectedExecutionException.class, why);
    assertEquals(List.of(), ran);
  }

  @Test
  void whatIsMissingIsRefusedAndNothingIsRegistered() {
    Callable<String> none = null;
    assertThrows(NullPointerException.class, () -> mely.submit(color, none));
    Color foreign = new StillMely(1, StealPolicy.OFF).mely.newColor();
    assertThrows(IllegalArgumentException.class, () -> mely.submit(foreign, () -> "never"));
    assertTrue(mely.shutdown(Duration.ZERO).drained());
  }

  // ---- An event, and that it has been handled

  private final Handler<Object> note =
      new Handler<>() {
        @Override
        public void handle(Object event) {
          ran.add(event);
        }

        @Override
        protected void rejected(Object event) {
          ran.add("rejected " + event);
        }
      };

  @Test
  void anEventIsHandledAndTheFutureIsTold() {
    mely.register(color, note, "before");
    CompletableFuture<Void> done = mely.submit(color, note, "event");
    done.thenRun(() -> ran.add("done, in the color: " + color.isCurrent()));
    mely.register(color, note, "after");
    assertFalse(done.isDone());
    still.run(0);
    done.join();
    assertEquals(List.of("before", "event", "done, in the color: true", "after"), ran);
  }

  @ParameterizedTest
  @ValueSource(classes = {Exception.class, Error.class, OutOfMemoryError.class})
  void whatTheHandlerThrowsCompletesTheFuture(Class<? extends Throwable> type) throws Exception {
    Throwable planned = type.getConstructor(String.class).newInstance("planned");
    CompletableFuture<Void> failed =
        mely.submit(color, Handler.of(e -> throwUnchecked(planned)), "event");
    mely.register(color, note, "next");
    still.run(0);
    assertSame(planned, assertThrows(CompletionException.class, failed::join).getCause());
    assertEquals(List.of("next"), ran);
    assertEquals(List.of(), still.errors, "the future has it");
  }

  /** It is the handler's event: its cost is learned, and its weight counts. */
  @Test
  void theCostIsThatOfTheHandler() {
    StillMely weighing = new StillMely(2, StealPolicy.ALL);
    Handler<Object> slow = Handler.of(e -> weighing.host.advance(70_000));
    Color here = weighing.mely.newColor(0);
    weighing.mely.submit(here, slow, 1);
    weighing.run(0);
    assertEquals(70_000, slow.costNanos());
    weighing.mely.submit(here, slow, 2);
    assertEquals(70_000, here.weight());
  }

  @Test
  void anEventOfTheUsersOwnIsPendingMeanwhile() {
    Numbered own = new Numbered(1);
    CompletableFuture<Void> done = mely.submit(color, note, own);
    assertTrue(own.isPending());
    assertThrows(IllegalStateException.class, () -> mely.submit(color, note, own));
    assertThrows(IllegalStateException.class, () -> mely.register(color, note, own));
    done.thenRun(() -> mely.register(color, note, own));
    still.run(0);
    assertEquals(List.of(own, own), ran);
    assertFalse(own.isPending());
    CompletableFuture<Void> cancelled = mely.submit(color, note, own);
    assertTrue(cancelled.cancel(false));
    still.run(0);
    assertEquals(2, ran.size(), "a cancelled one does not run");
    assertFalse(own.isPending());
  }

  @Test
  void anEventThatIsRefusedIsTheCallers() {
    Numbered own = new Numbered(1);
    SettingsBuilder settings = new SettingsBuilder();
    settings.cores = 1;
    settings.maxPendingPerColor = 1;
    Mely full = new StillMely(settings).mely;
    Color only = full.newColor();
    full.submit(only, note, "first");
    assertThrows(RejectedExecutionException.class, () -> full.submit(only, note, own));
    assertFalse(own.isPending());
    full.shutdown(Duration.ZERO);
    assertThrows(RejectedExecutionException.class, () -> full.submit(only, note, own));
    assertFalse(own.isPending());
  }

  /** One that may be dropped is not when it is submitted, and takes no more room than others. */
  @Test
  void anEventIsNeverDropped() {
    SettingsBuilder settings = new SettingsBuilder();
    settings.cores = 1;
    settings.maxPendingPerColor = 2;
    StillMely full = new StillMely(settings);
    Handler<Object> droppable =
        new Handler<>() {
          @Override
          public void handle(Object event) {
            ran.add(event);
          }

          @Override
          protected boolean isDroppable() {
            return true;
          }
        };
    Color only = full.mely.newColor();
    full.mely.submit(only, droppable, 1);
    CompletableFuture<Void> second = full.mely.submit(only, droppable, 2);
    assertThrows(
        RejectedExecutionException.class, () -> full.mely.submit(only, droppable, "one too many"));
    full.run(0);
    second.join();
    assertEquals(List.of(1, 2), ran);
    assertEquals(0, full.mely.inspect().statistics().dropped());
  }

  @Test
  void anEventThatIsRejectedTellsHandlerAndFuture() {
    Numbered own = new Numbered(1);
    CompletableFuture<Void> done = mely.submit(color, note, own);
    assertEquals(1, mely.shutdown(Duration.ZERO).eventsLeft());
    assertTrue(done.isDone());
    Throwable why = assertThrows(CompletionException.class, done::join).getCause();
    assertInstanceOf(RejectedExecutionException.class, why);
    assertEquals(List.of("rejected " + own), ran);
    assertFalse(own.isPending());
  }
}
