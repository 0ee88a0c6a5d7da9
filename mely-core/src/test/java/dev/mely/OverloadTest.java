package dev.mely;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.Mely.Timer;
import dev.mely.report.ShutdownReport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** As many events are pending as may be: who is let in, and what is dropped. */
@Timeout(300)
class OverloadTest {
  private final List<Object> ran = new ArrayList<>();
  private final List<Object> rejected = new ArrayList<>();
  private final Handler<Object> note = new Noting(false);
  private final Handler<Object> droppable = new Noting(true);

  // ---- Refused

  @Test
  void withoutABoundNothingIsCounted() {
    StillMely still = bounded(0, 0);
    assertNull(still.scheduler.overload);
    assertFalse(still.mely.newColor() instanceof BoundedColor);
    assertFalse(bounded(9, 0).mely.newColor() instanceof BoundedColor);
  }

  @Test
  void colorMayHaveSoManyEvents() {
    StillMely still = bounded(0, 3);
    Color color = still.mely.newColor();
    register(still, color, note, 0, 3);
    Numbered event = new Numbered(3);
    Exception e =
        assertThrows(
            RejectedExecutionException.class, () -> still.mely.register(color, note, event));
    assertTrue(e.getMessage().contains("has 3 pending events"), e.getMessage());
    assertTrue(e.getMessage().contains(color.toString()), e.getMessage());
    assertFalse(event.isPending());
    assertEquals(1, still.mely.inspect().statistics().refused());
    register(still, still.mely.newColor(), note, 10, 3);
    still.run(0);
    assertEquals(List.of(0, 1, 2, 10, 11, 12), ran);
    still.mely.register(color, note, event);
    still.run(0);
    assertEquals(7, ran.size(), "there is room again");
    assertEquals(List.of(), rejected);
    assertEquals(1, still.mely.inspect().statistics().refused());
  }

  @Test
  void colorsByNumberAreBoundedToo() {
    StillMely still = bounded(0, 1);
    for (Color color :
        List.of(still.mely.color(0), still.mely.color(7), still.mely.newPinnedColor(0))) {
      still.mely.register(color, note, 1);
      assertThrows(
          RejectedExecutionException.class, () -> still.mely.registerUrgent(color, note, 2));
    }
    assertEquals(3, still.mely.inspect().statistics().refused());
  }

  @Test
  void runtimeMayHaveSoManyEvents() {
    StillMely still = bounded(2, 0);
    still.mely.register(still.mely.newColor(), note, 1);
    still.mely.registerUrgent(still.mely.newColor(), note, 2);
    Color color = still.mely.newColor();
    for (Runnable registration :
        List.<Runnable>of(
            () -> still.mely.register(color, note, 3),
            () -> still.mely.registerUrgent(color, note, 3),
            () -> still.mely.execute(color, () -> ran.add(3)))) {
      Exception e = assertThrows(RejectedExecutionException.class, registration::run);
      assertTrue(e.getMessage().contains("the runtime has 2 pending events"), e.getMessage());
    }
    still.run(0);
    assertEquals(2, ran.size());
    assertFull(still, 2);
  }

  /** What the runtime has no room for takes none of the color's. */
  @Test
  void refusedEventsTakeNoRoom() {
    StillMely still = bounded(1, 5);
    BoundedColor color = (BoundedColor) still.mely.newColor();
    still.mely.register(still.mely.newColor(), note, 1);
    for (int i = 0; i < 10; i++) {
      Exception e =
          assertThrows(RejectedExecutionException.class, () -> still.mely.register(color, note, 2));
      assertTrue(e.getMessage().contains("the runtime has 1 pending"), e.getMessage());
    }
    assertEquals(0, color.load());
    still.run(0);
    still.mely.register(color, note, 2);
    assertEquals(1, color.load());
    still.run(0);
    assertEquals(List.of(1, 2), ran);
    assertEquals(0, color.load());
  }

  @Test
  void eventLeavesItsRoomBeforeItsHandlerRuns() {
    StillMely still = bounded(1, 1);
    Color color = still.mely.newColor();
    Handler<Integer> countdown =
        new Handler<>() {
          @Override
          public void handle(Integer left) {
            ran.add(left);
            if (left > 0) {
              still.mely.register(color, this, left - 1);
              assertThrows(
                  RejectedExecutionException.class, () -> still.mely.register(color, this, 0));
            }
          }
        };
    still.mely.register(color, countdown, 3);
    still.run(0);
    assertEquals(List.of(3, 2, 1, 0), ran);
    assertEquals(List.of(), still.errors);
  }

  @Test
  void eventThatFailsLeavesItsRoomToo() {
    StillMely still = bounded(2, 2);
    Color color = still.mely.newColor();
    Handler<Object> fails =
        Handler.of(
            e -> {
              throw new IllegalStateException("planned");
            });
    register(still, color, fails, 0, 2);
    still.run(0);
    assertEquals(2, still.errors.size());
    register(still, color, note, 0, 2);
    still.run(0);
    assertEquals(List.of(0, 1), ran);
  }

  // ---- Waiting

  /** The worker that makes room is about to run an event, which must not be lost. */
  @Test
  void wakeUpThatFailsIsTriedAgain() throws InterruptedException {
    SettingsBuilder settings = new SettingsBuilder();
    settings.maxPending = 1;
    settings.overflow = MelyBuilder.Overflow.BLOCK;
    StillMely still = new StillMely(settings);
    still.host.parker.unparksToFail = 2;
    Color color = still.mely.newColor();
    still.mely.register(color, note, 1);
    Threads producer = new Threads();
    producer.add(() -> still.mely.register(color, note, 2));
    producer.start();
    await().until(still.host.parker.go::hasQueuedThreads);
    still.run(0);
    assertEquals(List.of(1), ran);
    assertEquals(3, still.host.parker.unparks);
    still.host.parker.go.release();
    producer.join();
    still.run(0);
    assertEquals(List.of(1, 2), ran);
  }

  /** One place, one producer: what a core does for those who wait does not grow with them. */
  @Test
  void freedPlaceWakesOneProducer() throws InterruptedException {
    SettingsBuilder settings = new SettingsBuilder();
    settings.maxPendingPerColor = 1;
    settings.overflow = MelyBuilder.Overflow.BLOCK;
    StillMely still = new StillMely(settings);
    Color color = still.mely.newColor();
    Color other = still.mely.newColor();
    still.mely.register(color, note, 0);
    still.mely.register(other, note, 0);
    AtomicInteger in = new AtomicInteger();
    Threads producers = new Threads();
    for (int i = 1; i <= 20; i++) {
      int number = i;
      producers.add(
          () -> {
            still.mely.register(number % 2 == 0 ? color : other, note, number);
            in.incrementAndGet();
          });
    }
    producers.start();
    FakeHost.FakeParker parker = still.host.parker;
    int parks = 20;
    await().until(() -> parker.go.getQueueLength() == 20);
    for (int left = 20; left > 0; left -= 2) {
      still.run(0);
      assertEquals(22 - left, ran.size());
      assertEquals(22 - left, parker.unparks, "one for each place");
      int waiting = left - 2;
      parks += waiting;
      int expected = parks;
      parker.go.release(left); // all look again, woken or not, and those who find nothing wait
      await()
          .until(
              () ->
                  in.get() == 20 - waiting
                      && parker.parks.get() == expected
                      && parker.go.getQueueLength() == waiting);
      assertEquals(22 - left, parker.unparks, "those who cannot take it wake nobody");
    }
    producers.join();
    assertEquals(20, still.host.parker.unparks);
  }

  /** Producers of a busy color keep nobody else from a turn. */
  @Test
  void placeInAllIsOfferedToOtherColorsToo() throws InterruptedException {
    SettingsBuilder settings = new SettingsBuilder();
    settings.maxPending = 1;
    settings.maxPendingPerColor = 1;
    settings.overflow = MelyBuilder.Overflow.BLOCK;
    StillMely still = new StillMely(settings);
    Color busy = still.mely.newColor();
    Color other = still.mely.newColor();
    still.mely.register(busy, note, 0);
    AtomicInteger in = new AtomicInteger();
    Threads producers = new Threads();
    for (Color color : List.of(busy, busy, other)) {
      producers.add(
          () -> {
            still.mely.register(color, note, 1);
            in.incrementAndGet();
          });
    }
    producers.start();
    FakeHost.FakeParker parker = still.host.parker;
    await().until(() -> parker.go.getQueueLength() == 3);
    still.run(0);
    assertEquals(2, parker.unparks, "the first that waits for the color, and the one for all");
    for (int waiting = 2; waiting >= 0; waiting--) {
      int left = waiting;
      parker.go.release(left + 1); // all look again, woken or not
      await().until(() -> in.get() == 3 - left && parker.go.getQueueLength() == left);
      still.run(0);
    }
    producers.join();
    assertEquals(4, ran.size());
  }

  @Test
  void timerThatIsAnEventOfSeveralColorsTakesRoom() {
    SettingsBuilder settings = new SettingsBuilder();
    settings.maxPending = 1;
    StillMely still = new StillMely(settings);
    Color a = still.mely.newColor();
    Color b = still.mely.newColor();
    Timer timer = still.mely.schedule(a, note, 0, Duration.ofHours(1));
    Handler<Timer> cancel = Handler.of(Timer::cancel);
    still.mely.register(Permissions.write(a, b), cancel, timer);
    assertThrows(
        RejectedExecutionException.class,
        () -> still.mely.register(Permissions.write(a, b), cancel, timer));
  }

  // ---- Dropped

  @Test
  void oldestEventsOfDroppableHandlersGo() {
    StillMely still = bounded(0, 3);
    Color color = still.mely.newColor();
    register(still, color, droppable, 0, 5);
    still.run(0);
    assertEquals(List.of(2, 3, 4), ran);
    assertEquals(List.of(0, 1), rejected);
    assertEquals(2, still.mely.inspect().statistics().dropped());
    assertEquals(0, still.mely.inspect().statistics().refused());
    assertEquals(
        3, still.mely.inspect().statistics().total().events(), "what is dropped did not run");
    assertEquals(0, ((BoundedColor) color).load());
    assertEquals(0, color.weight());
  }

  @Test
  void atTwiceTheRoomDroppableEventsAreRefusedToo() {
    StillMely still = bounded(0, 3);
    Color color = still.mely.newColor();
    register(still, color, droppable, 0, 6);
    Exception e =
        assertThrows(
            RejectedExecutionException.class, () -> still.mely.register(color, droppable, 6));
    assertTrue(e.getMessage().contains("3"), e.getMessage());
    assertThrows(RejectedExecutionException.class, () -> still.mely.register(color, note, 7));
    still.run(0);
    assertEquals(List.of(3, 4, 5), ran);
    assertEquals(List.of(0, 1, 2), rejected);
    assertEquals(3, still.mely.inspect().statistics().dropped());
    assertEquals(2, still.mely.inspect().statistics().refused());
  }

  @Test
  void dropsWhatTheRuntimeHasNoRoomFor() {
    StillMely still = bounded(4, 0);
    Color first = still.mely.newColor();
    Color second = still.mely.newColor();
    register(still, first, droppable, 0, 4);
    register(still, second, droppable, 10, 3);
    still.run(0);
    assertEquals(List.of(0, 1, 2), rejected);
    assertEquals(List.of(3, 10, 11, 12), ran);
    assertFull(still, 4);
  }

  /** Between droppable events: these run, whatever is dropped around them. */
  @Test
  void otherEventsAreNeverDropped() {
    StillMely still = bounded(0, 2);
    Color color = still.mely.newColor();
    still.mely.register(color, note, "first");
    still.mely.register(color, droppable, 1);
    still.mely.register(color, droppable, 2);
    still.mely.register(color, droppable, 3);
    still.run(0);
    assertEquals(List.of("first", 2, 3), ran);
    assertEquals(List.of(1), rejected);
  }

  @Test
  void rejectedMayThrow() {
    StillMely still = bounded(0, 1);
    Color color = still.mely.newColor();
    Handler<Object> angry =
        new Noting(true) {
          @Override
          protected void rejected(Object event) {
            throw new IllegalStateException("planned");
          }
        };
    register(still, color, angry, 0, 2);
    still.run(0);
    assertEquals(List.of(1), ran);
    assertEquals(0, ((BoundedColor) color).load());
    assertTrue(color.toString().contains("idle"), color::toString);
  }

  /** Twice the largest bound is more than an int holds. */
  @Test
  void largestBoundHasRoom() {
    StillMely still = bounded(1L << 40, 1 << 30);
    Color color = still.mely.newColor();
    register(still, color, droppable, 0, 3);
    register(still, color, note, 3, 3);
    still.run(0);
    assertEquals(List.of(0, 1, 2, 3, 4, 5), ran);
  }

  // ---- Events that take no room

  private static final class Always extends Event {
    Always() {
      super(false);
    }
  }

  @Test
  void eventsThatTakeNoRoomAreLetInAndLeaveNone() {
    StillMely still = bounded(2, 2);
    Color color = still.mely.newColor();
    register(still, color, note, 0, 2);
    List<Event> always = List.of(new Always(), new Always(), new Always());
    always.forEach(event -> still.mely.register(color, note, event));
    assertThrows(
        RejectedExecutionException.class, () -> still.mely.register(color, note, "refused"));
    assertEquals(2, ((BoundedColor) color).load());
    still.run(0);
    List<Object> expected = new ArrayList<>(List.of(0, 1));
    expected.addAll(always);
    assertEquals(expected, ran);
    assertEquals(0, ((BoundedColor) color).load());
    assertFull(still, 2);
  }

  @Test
  void eventsThatTakeNoRoomAreNotDroppedForOthers() {
    StillMely still = bounded(0, 1);
    Color color = still.mely.newColor();
    Event first = new Always();
    still.mely.register(color, droppable, first);
    register(still, color, droppable, 0, 2);
    still.run(0);
    assertEquals(List.of(first, 1), ran);
    assertEquals(List.of(0), rejected);
  }

  @Test
  void eventsOverSeveralColorsMayTakeNoRoomToo() {
    StillMely still = bounded(1, 1);
    Color a = still.mely.newColor();
    Color b = still.mely.newColor();
    still.mely.register(a, note, "fills both bounds");
    Permissions both = Permissions.write(a).andWrite(b);
    assertThrows(
        RejectedExecutionException.class, () -> still.mely.register(both, note, "refused"));
    Event event = new Always();
    still.mely.register(both, note, event);
    still.run(0);
    assertEquals(List.of("fills both bounds", event), ran);
    assertEquals(0, ((BoundedColor) a).load());
    assertEquals(0, ((BoundedColor) b).load());
    assertFull(still, 1);
  }

  // ---- Timers

  @Test
  void timersNeedNoRoom() {
    StillMely still = bounded(2, 2);
    still.run(0);
    Color color = still.mely.newColor();
    still.mely.scheduleAtFixedRate(color, note, "tick", Duration.ofMillis(1), Duration.ofMillis(1));
    still.mely.schedule(color, droppable, "once", Duration.ofMillis(1));
    register(still, color, note, 0, 2);
    still.step(0);
    still.pass(1_000_000);
    assertTrue(ran.containsAll(List.of("tick", "once", 0, 1)), ran::toString);
    for (int i = 0; i < 5; i++) {
      still.pass(1_000_000);
    }
    assertEquals(0, ((BoundedColor) color).load(), "and leave none behind");
    assertFull(still, 2);
    assertEquals(List.of(), rejected);
  }

  // ---- The end

  @Test
  void shutdownReturnsTheRoom() {
    StillMely still = bounded(6, 3);
    BoundedColor color = (BoundedColor) still.mely.newColor();
    BoundedColor other = (BoundedColor) still.mely.newColor();
    register(still, color, note, 0, 3);
    register(still, other, note, 3, 3);
    ShutdownReport report = still.mely.shutdown(Duration.ZERO);
    assertEquals(6, report.eventsLeft());
    assertEquals(List.of(0, 1, 2, 3, 4, 5), rejected);
    assertEquals(0, color.load());
    assertEquals(0, other.load());
    Overload overload = overload(still);
    for (int i = 0; i < 6; i++) {
      overload.admit(i % 2 == 0 ? color : other, event());
    }
    assertThrows(RejectedExecutionException.class, () -> overload.admit(color, event()));
  }

  // ---- Helpers

  private static StillMely bounded(long inAll, int perColor) {
    SettingsBuilder settings = new SettingsBuilder();
    settings.maxPending = inAll;
    settings.maxPendingPerColor = perColor;
    return new StillMely(settings);
  }

  private static void register(
      StillMely still, Color color, Handler<Object> handler, int from, int count) {
    for (int i = 0; i < count; i++) {
      still.mely.register(color, handler, from + i);
    }
  }

  /** The runtime, which is at rest, has room for so many events exactly. */
  private void assertFull(StillMely still, int room) {
    for (int i = 0; i < room; i++) {
      still.mely.register(still.mely.newColor(), note, i);
    }
    assertThrows(
        RejectedExecutionException.class,
        () -> still.mely.register(still.mely.newColor(), note, room));
  }

  private static Overload overload(StillMely still) {
    Overload overload = still.scheduler.overload;
    assertNotNull(overload);
    return overload;
  }

  /** One that is ready to be registered. */
  static Event event() {
    Event event = new Numbered(0);
    event.attach(Handler.of(e -> {}));
    return event;
  }

  /** Takes notes of all that it is told. */
  private class Noting extends Handler<Object> {
    private final boolean mayDrop;

    Noting(boolean mayDrop) {
      this.mayDrop = mayDrop;
    }

    @Override
    public void handle(Object event) {
      ran.add(event);
    }

    @Override
    protected boolean isDroppable() {
      return mayDrop;
    }

    @Override
    protected void rejected(Object event) {
      rejected.add(event);
    }
  }
}
