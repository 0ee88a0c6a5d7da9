package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

/** Events that their sender owns and uses again. */
class EventTest {
  private final StillMely still = new StillMely(1, StealPolicy.ALL);
  private final Mely mely = still.mely;
  private final Color red = mely.newColor();
  private final Color blue = mely.newColor();
  private final List<Object> handled = new ArrayList<>();

  @Test
  void handlerIsGivenTheEventItself() {
    Continuation event = new Continuation();
    mely.register(red, Handler.of(handled::add), event);
    still.run(0);
    assertEquals(1, handled.size());
    assertSame(event, handled.get(0));
  }

  @Test
  void handlerIsGivenWhatAWrapperCarries() {
    String text = "not an Event";
    mely.register(red, Handler.of(handled::add), text);
    still.run(0);
    assertSame(text, handled.get(0));
  }

  @Test
  void isPendingUntilItsHandlerRuns() {
    Continuation event = new Continuation();
    assertFalse(event.isPending());
    mely.register(red, Handler.of(e -> handled.add(e.isPending())), event);
    assertTrue(event.isPending());
    still.run(0);
    assertEquals(List.of(false), handled);
    assertFalse(event.isPending());
  }

  @Test
  void mayRegisterItselfAgain() {
    Continuation event = new Continuation();
    Handler<Continuation> handler =
        new Handler<>() {
          @Override
          public void handle(Continuation e) {
            handled.add(++e.step);
            if (e.step < 25) {
              mely.register(red, this, e);
            }
          }
        };
    mely.register(red, handler, event);
    still.run(0);
    assertEquals(25, handled.size());
    assertFalse(event.isPending());
  }

  /** Also while others of its old color wait behind it. */
  @Test
  void mayGoToAnotherColorFromItsOwnHandler() {
    Continuation event = new Continuation();
    Handler<Continuation> second = Handler.of(e -> handled.add("blue"));
    Handler<Continuation> first =
        Handler.of(
            e -> {
              handled.add("red");
              mely.register(blue, second, e);
            });
    mely.register(red, first, event);
    mely.register(red, Handler.of(handled::add), "next red");
    mely.register(blue, Handler.of(handled::add), "earlier blue");
    still.run(0);
    assertEquals(List.of("red", "next red", "earlier blue", "blue"), handled);
  }

  @Test
  void mayBeUsedAgainWhenItsHandlerHasThrown() {
    Continuation event = new Continuation();
    Handler<Continuation> failing =
        Handler.of(
            e -> {
              throw new IllegalStateException("planned");
            });
    mely.register(red, failing, event);
    still.run(0);
    mely.register(red, Handler.of(handled::add), event);
    still.run(0);
    assertEquals(List.of(event), handled);
    assertEquals(1, still.errors.size());
  }

  @Test
  void pendingEventIsRefusedASecondTime() {
    Continuation event = new Continuation();
    mely.register(red, Handler.of(e -> handled.add("first")), event);
    Handler<Object> second = Handler.of(e -> handled.add("second"));
    for (Color color : List.of(red, blue)) {
      Exception e =
          assertThrows(IllegalStateException.class, () -> mely.register(color, second, event));
      assertTrue(e.getMessage().contains(event.toString()), e.getMessage());
    }
    still.run(0);
    assertEquals(List.of("first"), handled);
  }

  @Test
  @SuppressWarnings("NullAway")
  void refusedEventIsNotPending() {
    Continuation event = new Continuation();
    assertThrows(NullPointerException.class, () -> mely.register(red, null, event));
    assertFalse(event.isPending());
    assertThrows(NullPointerException.class, () -> mely.register(red, Handler.of(e -> {}), null));
    Color foreign = new StillMely(1, StealPolicy.ALL).mely.newColor();
    Exception e =
        assertThrows(
            IllegalArgumentException.class,
            () -> mely.register(foreign, Handler.of(handled::add), event));
    assertTrue(e.getMessage().contains(foreign.toString()), e.getMessage());
    assertFalse(event.isPending());
    still.scheduler.setPhase(Scheduler.CLOSED);
    assertThrows(
        RejectedExecutionException.class,
        () -> mely.register(red, Handler.of(handled::add), event));
    assertFalse(event.isPending());
  }

  private static final class Continuation extends Event {
    int step;
  }
}
