package dev.mely;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A producer that must not wait tries to register, and is told when there is room again. */
@Timeout(300)
class RoomNoticeTest {
  private final List<Object> ran = Collections.synchronizedList(new ArrayList<>());
  private final Handler<Object> note = Handler.of(ran::add);

  private static StillMely bounded(int inAll, int perColor) {
    SettingsBuilder settings = new SettingsBuilder();
    settings.cores = 1;
    settings.policy = StealPolicy.ALL;
    settings.maxPending = inAll;
    settings.maxPendingPerColor = perColor;
    return new StillMely(settings);
  }

  @Test
  void withoutABoundThereIsAlwaysRoom() {
    Mely mely = bounded(0, 0).mely;
    Color color = mely.newColor();
    assertTrue(mely.whenRoom(color).isDone());
    assertTrue(mely.tryRegister(color, note, 1));
  }

  @ParameterizedTest
  @CsvSource({"0, 2", "2, 0", "2, 2", "2, 5", "5, 2"})
  void whatDoesNotFitIsTheCallersStill(int inAll, int perColor) {
    StillMely still = bounded(inAll, perColor);
    Mely mely = still.mely;
    Color color = mely.newColor();
    Numbered event = new Numbered(3);
    assertTrue(mely.tryRegister(color, note, 1));
    assertTrue(mely.whenRoom(color).isDone(), "for one more");
    assertTrue(mely.tryRegister(color, note, 2));
    assertFalse(mely.tryRegister(color, note, event));
    assertFalse(event.isPending());
    assertEquals(1, mely.inspect().statistics().refused());
    CompletableFuture<Void> room = mely.whenRoom(color);
    assertFalse(room.isDone());
    still.run(0);
    assertTrue(room.isDone());
    room.join();
    assertTrue(mely.tryRegister(color, note, event));
    still.run(0);
    assertEquals(List.of(1, 2, event), ran);
    assertEquals(1, mely.inspect().statistics().refused());
  }

  /** There is room in the color, then in all. */
  @Test
  void bothBoundsMustHaveRoom() {
    StillMely still = bounded(2, 1);
    Mely mely = still.mely;
    Color color = mely.newColor();
    Color paused = mely.newColor();
    mely.pause(paused);
    mely.register(paused, note, "paused");
    mely.register(color, note, 1);
    CompletableFuture<Void> inColor = mely.whenRoom(color);
    CompletableFuture<Void> inAll = mely.whenRoom(mely.newColor());
    CompletableFuture<Void> ofPaused = mely.whenRoom(paused);
    still.run(0);
    assertTrue(inColor.isDone());
    assertTrue(inAll.isDone());
    assertFalse(ofPaused.isDone(), "there is room in all, and none in the color");
    mely.resume(paused);
    still.run(0);
    assertTrue(ofPaused.isDone());
    assertEquals(List.of(1, "paused"), ran);
  }

  /** The place for which it was woken is taken by then: it waits on, for another bound. */
  @Test
  void itMayBeWokenInVain() {
    StillMely still = bounded(2, 1);
    Mely mely = still.mely;
    Color color = mely.newColor();
    mely.pause(color);
    mely.register(mely.newColor(), Handler.of(e -> mely.register(color, note, "newcomer")), 1);
    mely.register(mely.newColor(), note, 2);
    CompletableFuture<Void> room = mely.whenRoom(color);
    still.run(0);
    assertFalse(room.isDone());
    mely.resume(color);
    still.run(0);
    assertTrue(room.isDone());
    assertEquals(List.of(2, "newcomer"), ran);
  }

  /**
   * An event that needs room under several bounds holds some for a moment, until it finds another
   * bound full. Who asks in that moment, and finds no room, is told when it is over.
   */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void roomThatIsTakenForAMomentIsNoticed(boolean tries) {
    StillMely still = bounded(2, 1);
    Mely mely = still.mely;
    Color color = mely.newColor();
    Color other = mely.newColor();
    Color full = mely.newColor();
    mely.pause(full);
    mely.register(full, note, 1);
    for (int episode = 0; episode < 2; episode++) {
      List<CompletableFuture<Void>> notices = new ArrayList<>();
      for (Color taken : List.of(color, other)) {
        notices.add(whenRoomIsTaken(mely, taken));
      }
      Permissions asked = Permissions.write(color).andRead(other).andWrite(full);
      assertThrows(RejectedExecutionException.class, () -> mely.register(asked, note, 2));
      still.run(0);
      assertTrue(notices.stream().allMatch(CompletableFuture::isDone), notices::toString);

      CompletableFuture<Void> notice = whenRoomIsTaken(mely, color);
      mely.register(other, note, "fills all");
      if (tries) {
        assertFalse(mely.tryRegister(color, note, 2));
      } else {
        assertThrows(RejectedExecutionException.class, () -> mely.register(color, note, 2));
      }
      still.run(0);
      assertTrue(notice.isDone());
    }
  }

  /** Asks while somebody else holds the color's only place. */
  private static CompletableFuture<Void> whenRoomIsTaken(Mely mely, Color color) {
    Room room = ((BoundedColor) color).room;
    assertTrue(room.tryTake(false));
    CompletableFuture<Void> notice = mely.whenRoom(color);
    assertFalse(notice.isDone());
    room.giveBack();
    return notice;
  }

  /** It takes no room itself: the next one in line is told, too, and none of them is kept. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void thoseBehindItAreTold(boolean cancelled) {
    StillMely still = bounded(0, 1);
    Mely mely = still.mely;
    Color color = mely.newColor();
    mely.register(color, note, 1);
    List<CompletableFuture<Void>> notices = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      notices.add(mely.whenRoom(color));
    }
    String dump = mely.inspect().dump();
    assertTrue(dump.contains("3 producers wait for room"), dump);
    if (cancelled) {
      notices.get(0).cancel(false);
      dump = mely.inspect().dump();
      assertTrue(dump.contains("2 producers wait for room"), dump);
    }
    still.run(0);
    assertEquals(cancelled, notices.get(0).isCancelled());
    assertTrue(notices.stream().allMatch(CompletableFuture::isDone), notices::toString);
    assertFalse(mely.inspect().dump().contains("wait for room"), mely.inspect().dump());
  }

  /** A producer that waits behind it goes on. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void theProducerBehindItGoesOn(boolean cancelled) {
    try (Mely mely =
        Mely.builder()
            .cores(1)
            .maxPendingPerColor(1)
            .overflow(MelyBuilder.Overflow.BLOCK)
            .build()) {
      Color color = mely.newColor();
      mely.pause(color);
      mely.register(color, note, 1);
      CompletableFuture<Void> first = mely.whenRoom(color);
      CompletableFuture<Void> second = mely.whenRoom(color);
      Thread producer = new Thread(() -> mely.register(color, note, 2));
      producer.start();
      await().until(() -> mely.inspect().statistics().blocked() == 1);
      if (cancelled) {
        first.cancel(false);
      }
      mely.resume(color);
      await().until(() -> ran.size() == 2 && second.isDone());
      assertEquals(cancelled, first.isCancelled());
      second.join();
      assertEquals(List.of(1, 2), ran);
    }
  }

  @Test
  void whatDependsOnTheFutureRunsInAnEventOfItsOwn() {
    StillMely still = bounded(0, 1);
    Mely mely = still.mely;
    Color color = mely.newColor();
    mely.register(color, Handler.of(e -> ran.add("first " + color.isCurrent())), 1);
    mely.whenRoom(color)
        .thenRun(
            () -> {
              ran.add("room " + color.isCurrent());
              mely.register(color, note, "from there");
              mely.fork().then(failures -> ran.add("forked"));
              throw new IllegalStateException("planned");
            });
    still.run(0);
    assertEquals(List.of("first true", "room false", "from there", "forked"), ran);
    assertEquals(List.of(), still.errors, "the future that it made has it");
  }

  @Test
  void aHandlerMayAskForRoom() {
    StillMely still = bounded(1, 0);
    Mely mely = still.mely;
    Color color = mely.newColor();
    mely.execute(
        color,
        () -> {
          assertTrue(mely.tryRegister(color, note, 1));
          assertFalse(mely.tryRegister(color, note, 2));
          mely.whenRoom(color).thenRun(() -> assertTrue(mely.tryRegister(color, note, 2)));
        });
    still.run(0);
    assertEquals(List.of(1, 2), ran);
  }

  @Test
  void theEndFailsTheFuture() {
    StillMely still = bounded(0, 1);
    Mely mely = still.mely;
    Color color = mely.newColor();
    mely.pause(color);
    mely.register(color, note, 1);
    CompletableFuture<Void> room = mely.whenRoom(color);
    assertEquals(1, mely.shutdown(Duration.ZERO).eventsLeft(), "the notice is none");
    isRefused(room);
    isRefused(mely.whenRoom(color));
    assertThrows(RejectedExecutionException.class, () -> mely.tryRegister(color, note, 1));
  }

  private static void isRefused(CompletableFuture<Void> room) {
    assertTrue(room.isDone());
    Throwable why = assertThrows(CompletionException.class, room::join).getCause();
    assertInstanceOf(RejectedExecutionException.class, why);
    assertTrue(why.getMessage().contains("shut down"), why.getMessage());
  }

  @Test
  void aColorOfAnotherRuntimeIsRefused() {
    Mely mely = bounded(0, 0).mely;
    Color foreign = bounded(0, 0).mely.newColor();
    assertThrows(IllegalArgumentException.class, () -> mely.whenRoom(foreign));
    assertThrows(IllegalArgumentException.class, () -> mely.tryRegister(foreign, note, 1));
  }

  /** Producers that ask, beside producers that wait: nobody is forgotten. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void allProducersComeToTheirEnd(boolean perColor) throws Exception {
    int each = 20_000;
    MelyBuilder builder = Mely.builder().cores(2).overflow(MelyBuilder.Overflow.BLOCK);
    try (Mely mely = (perColor ? builder.maxPendingPerColor(2) : builder.maxPending(2)).build()) {
      Color[] colors = {mely.newColor(0), mely.newColor(1)};
      AtomicInteger handled = new AtomicInteger();
      Handler<Object> count = Handler.of(e -> handled.incrementAndGet());
      CountDownLatch producers = new CountDownLatch(4);
      for (int i = 0; i < 4; i++) {
        boolean waits = i == 3;
        Color color = colors[i % 2];
        new Thread(
                () -> {
                  for (int n = 0; n < each; n++) {
                    if (waits) {
                      mely.register(color, count, n);
                    } else {
                      while (!mely.tryRegister(color, count, n)) {
                        mely.whenRoom(color).join();
                      }
                    }
                  }
                  producers.countDown();
                })
            .start();
      }
      producers.await();
      await().until(() -> handled.get() == 4 * each);
    }
  }
}
