package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

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

  // ---- Refused, and registered again

  /** How an event comes to one color or more. */
  private enum Way {
    COLOR((mely, a, b, handler, event) -> mely.register(a, handler, event)),
    URGENT((mely, a, b, handler, event) -> mely.registerUrgent(a, handler, event)),
    TRY(
        (mely, a, b, handler, event) -> {
          if (!mely.tryRegister(a, handler, event)) {
            throw new RejectedExecutionException("no room");
          }
        }),
    SUBMIT((mely, a, b, handler, event) -> assertFalse(mely.submit(a, handler, event).isDone())),
    WRITER((mely, a, b, handler, event) -> mely.register(Permissions.write(a), handler, event)),
    WRITERS((mely, a, b, handler, event) -> mely.register(Permissions.write(b, a), handler, event)),
    READER((mely, a, b, handler, event) -> mely.register(Permissions.read(a), handler, event)),
    BOTH(
        (mely, a, b, handler, event) ->
            mely.register(Permissions.write(b).andRead(a), handler, event));

    final Registration registration;

    Way(Registration registration) {
      this.registration = registration;
    }
  }

  private interface Registration {
    void register(Mely mely, Color a, Color b, Handler<Continuation> handler, Continuation event);
  }

  /** Why an event that needs room is refused. */
  private enum Reason {
    COLOR_FULL,
    ALL_FULL,
    INTERRUPTED,
    MEMORY
  }

  static Stream<Arguments> refusals() {
    return Stream.of(Way.values())
        .flatMap(way -> Stream.of(Reason.values()).map(reason -> Arguments.of(way, reason)));
  }

  @ParameterizedTest
  @MethodSource("refusals")
  void eventThatFoundNoRoomIsRegisteredWhenThereIsSome(Way way, Reason reason) {
    SettingsBuilder settings = new SettingsBuilder();
    settings.maxPending = reason == Reason.ALL_FULL ? 1 : 0;
    settings.maxPendingPerColor = reason == Reason.ALL_FULL ? 0 : 1;
    settings.overflow =
        reason == Reason.INTERRUPTED || reason == Reason.MEMORY
            ? MelyBuilder.Overflow.BLOCK
            : MelyBuilder.Overflow.REJECT;
    StillMely bounded = new StillMely(settings);
    Color a = bounded.mely.newColor();
    Color b = bounded.mely.newColor();
    Handler<Continuation> note = Handler.of(handled::add);
    Continuation event = new Continuation();
    for (int episode = 0; episode < 2; episode++) {
      bounded.mely.execute(a, () -> {});
      for (int attempt = 0; attempt < 2; attempt++) {
        if (reason == Reason.INTERRUPTED) {
          Thread.currentThread().interrupt();
        } else if (reason == Reason.MEMORY) {
          bounded.host.whenAsked(
              () -> {
                throw new OutOfMemoryError("as planned");
              });
        }
        Throwable refused =
            assertThrows(
                Throwable.class, () -> way.registration.register(bounded.mely, a, b, note, event));
        boolean failed = reason == Reason.MEMORY && way != Way.TRY; // which needs no memory
        Class<?> expected = failed ? OutOfMemoryError.class : RejectedExecutionException.class;
        assertSame(expected, refused.getClass());
        Thread.interrupted();
        bounded.host.whenAsked(() -> {});
        assertFalse(event.isPending());
      }
      bounded.run(0);
      handled.clear();
      way.registration.register(bounded.mely, a, b, note, event);
      assertTrue(event.isPending());
      bounded.run(0);
      assertEquals(List.of(event), handled);
    }
    assertEquals(List.of(), bounded.errors);
  }

  /** Another runtime may have it. */
  @ParameterizedTest
  @EnumSource(Way.class)
  void eventThatCameTooLateIsItsOwners(Way way) {
    Handler<Continuation> note = Handler.of(handled::add);
    Continuation event = new Continuation();
    for (int phase : new int[] {Scheduler.DRAINING, Scheduler.CLOSED}) {
      StillMely ending = new StillMely(1, StealPolicy.ALL);
      Color a = ending.mely.newColor();
      Color b = ending.mely.newColor();
      ending.scheduler.setPhase(phase);
      assertThrows(
          RejectedExecutionException.class,
          () -> way.registration.register(ending.mely, a, b, note, event));
      assertFalse(event.isPending());
      way.registration.register(mely, red, blue, note, event);
      still.run(0);
      assertEquals(List.of(event), handled);
      handled.clear();
    }
  }

  @Test
  void timerThatCameTooLateLeavesTheEventToItsOwner() {
    StillMely ending = new StillMely(1, StealPolicy.ALL);
    Color a = ending.mely.newColor();
    Permissions both = Permissions.write(a, ending.mely.newColor());
    Handler<Continuation> note = Handler.of(handled::add);
    Continuation event = new Continuation();
    Duration soon = Duration.ofMillis(1);
    ending.scheduler.setPhase(Scheduler.DRAINING);
    for (Runnable schedule :
        List.<Runnable>of(
            () -> ending.mely.schedule(a, note, event, soon),
            () -> ending.mely.schedule(both, note, event, soon),
            () -> ending.mely.scheduleAtFixedRate(a, note, event, soon, soon),
            () -> ending.mely.scheduleWithFixedDelay(a, note, event, soon, soon))) {
      assertThrows(RejectedExecutionException.class, schedule::run);
      mely.register(red, note, event);
      still.run(0);
    }
    assertEquals(4, handled.size());
  }

  private static final class Continuation extends Event {
    int step;
  }
}
