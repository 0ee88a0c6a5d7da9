package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.report.ShutdownReport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A color that is paused keeps its events until it is resumed. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PauseTest {
  private final StillMely still = new StillMely(2, StealPolicy.ALL);
  private final Mely mely = still.mely;
  private final Color color = mely.newColor(0);
  private final List<Object> ran = new ArrayList<>();
  private final List<Object> rejected = new ArrayList<>();
  private final Handler<Object> note =
      new Handler<>() {
        @Override
        public void handle(Object event) {
          ran.add(event);
        }

        @Override
        protected void rejected(Object event) {
          rejected.add(event);
        }
      };

  @Test
  void eventsWaitInOrderUntilTheColorIsResumed() {
    mely.register(color, note, 1);
    mely.pause(color);
    mely.register(color, note, 2);
    still.runAll();
    assertTrue(color.toString().contains("[paused"), color.toString());
    mely.registerUrgent(color, note, 3);
    mely.schedule(color, note, 4, Duration.ZERO);
    still.pass(1);
    assertEquals(List.of(), ran);
    assertEquals(4, color.pending());
    mely.resume(color);
    still.runAll();
    assertEquals(List.of(1, 2, 3, 4), ran);
    assertEquals(0, color.pending());
  }

  @Test
  void anIdleColorCanBePaused() {
    mely.pause(color);
    still.runAll();
    mely.register(color, note, 1);
    still.runAll();
    assertEquals(List.of(), ran);
    mely.resume(color);
    still.runAll();
    mely.register(color, note, 2);
    still.runAll();
    assertEquals(List.of(1, 2), ran, "it is as before");
  }

  @Test
  void otherColorsGoOn() {
    mely.pause(color);
    mely.register(color, note, "paused");
    Color other = mely.newColor(0);
    mely.register(other, note, "other");
    Color alsoPaused = mely.newColor(1);
    mely.pause(alsoPaused);
    mely.register(alsoPaused, note, "also paused");
    still.runAll();
    assertEquals(List.of("other"), ran);
    mely.resume(alsoPaused);
    still.runAll();
    assertEquals(List.of("other", "also paused"), ran);
    mely.resume(color);
    still.runAll();
    assertEquals(3, ran.size());
  }

  /** It has been granted the color: it counts as one that runs. */
  @Test
  void anEventThatHasBeenGrantedTheColorGoesOn() {
    mely.register(Permissions.read(color), note, "granted");
    mely.pause(color);
    mely.register(Permissions.read(color).andWrite(mely.newColor()), note, "later");
    still.runAll();
    assertEquals(List.of("granted"), ran);
    mely.resume(color);
    still.runAll();
    still.runAll();
    assertEquals(List.of("granted", "later"), ran);
  }

  @Test
  void whatIsPendingIsSeenWithoutStealing() {
    StillMely off = new StillMely(1, StealPolicy.OFF);
    Color here = off.mely.newColor();
    off.mely.pause(here);
    off.mely.register(here, note, 1);
    off.run(0);
    assertEquals(1, here.pending());
    off.mely.resume(here);
    off.run(0);
    assertEquals(List.of(1), ran);
    assertEquals(0, here.pending());
  }

  /** From inside: the event goes on to its end, and the next one of the batch does not begin. */
  @Test
  void aHandlerMayPauseItsOwnColor() {
    mely.execute(
        color,
        () -> {
          mely.pause(color);
          ran.add("to the end");
        });
    mely.register(color, note, "next");
    still.runAll();
    assertEquals(List.of("to the end"), ran);
    mely.resume(color);
    still.runAll();
    assertEquals(List.of("to the end", "next"), ran);
  }

  @Test
  void aHandlerMayResumeItsOwnColor() {
    mely.execute(color, () -> mely.pause(color));
    mely.execute(color, () -> ran.add("next"));
    mely.execute(mely.newColor(0), () -> mely.resume(color));
    still.runAll();
    still.runAll();
    assertEquals(List.of("next"), ran);
    mely.execute(
        color,
        () -> {
          mely.pause(color);
          mely.resume(color);
        });
    mely.execute(color, () -> ran.add("at once"));
    still.runAll();
    assertEquals(List.of("next", "at once"), ran);
  }

  @Test
  void toPauseOrResumeTwiceIsAsOnce() {
    mely.resume(color);
    mely.pause(color);
    mely.pause(color);
    mely.register(color, note, 1);
    still.runAll();
    mely.resume(color);
    mely.resume(color);
    still.runAll();
    assertEquals(List.of(1), ran);
  }

  @Test
  void aColorOfAKeyIsKeptWhileItIsPaused() {
    mely.pause(mely.color("key"));
    for (int i = 0; i < 10; i++) {
      System.gc();
      mely.register(mely.color("other " + i), note, i); // looks for colors that are collected
      mely.register(mely.color("key"), note, "key");
    }
    still.runAll();
    assertFalse(ran.contains("key"), ran.toString());
    mely.resume(mely.color("key"));
    still.runAll();
    assertEquals(20, ran.size());
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void permissionsOfAPausedColorAreNotGranted(boolean reads) {
    Color other = mely.newColor(1);
    Permissions both =
        reads ? Permissions.read(color).andWrite(other) : Permissions.write(color).andWrite(other);
    for (boolean pending : new boolean[] {false, true}) {
      ran.clear();
      mely.pause(color);
      if (pending) {
        mely.register(color, note, "before");
      }
      mely.register(both, note, "both");
      mely.register(other, note, "other");
      still.runAll();
      assertEquals(List.of(), ran, "what comes behind waits, too");
      mely.resume(color);
      still.runAll();
      still.runAll();
      assertEquals(pending ? List.of("before", "both", "other") : List.of("both", "other"), ran);
    }
  }

  /** An event that reads the color runs; the next ones are let in when it is resumed. */
  @Test
  void readersThatRunGoOnAndOthersWait() {
    List<Object> first = new ArrayList<>();
    Handler<Object> pausing =
        Handler.of(
            e -> {
              first.add(e);
              mely.pause(color);
              mely.register(Permissions.read(color), note, "reader");
              mely.register(Permissions.write(color).andWrite(mely.newColor()), note, "writer");
              mely.register(color, note, "plain");
            });
    mely.register(Permissions.read(color), pausing, "first");
    still.runAll();
    still.runAll();
    assertEquals(List.of("first"), first);
    assertEquals(List.of(), ran);
    mely.resume(color);
    for (int i = 0; i < 4; i++) {
      still.runAll();
    }
    assertEquals(List.of("reader", "writer", "plain"), ran);
  }

  @Test
  void whatHasForkedGoesOn() {
    mely.execute(
        color,
        () -> {
          mely.pause(color);
          mely.fork()
              .child(Permissions.write(color), note, "child")
              .then(failures -> ran.add("continuation"));
        });
    mely.register(color, note, "next");
    for (int i = 0; i < 4; i++) {
      still.runAll();
    }
    assertEquals(List.of("child", "continuation"), ran);
    mely.resume(color);
    still.runAll();
    assertEquals(List.of("child", "continuation", "next"), ran);
  }

  @Test
  void shutdownRejectsWhatIsPending() {
    mely.pause(color);
    mely.register(color, note, 1);
    CompletableFuture<Void> submitted = mely.submit(color, note, 2);
    still.runAll();
    ShutdownReport report = mely.shutdown(Duration.ZERO);
    assertEquals(2, report.eventsLeft());
    assertFalse(report.drained());
    assertEquals(List.of(1, 2), rejected);
    assertEquals(List.of(), ran);
    Throwable why = assertThrows(CompletionException.class, submitted::join).getCause();
    assertInstanceOf(RejectedExecutionException.class, why);
    mely.resume(color);
    mely.pause(color);
    assertEquals(List.of(), ran);
  }

  /** The end does not wait for what does not run: it comes when all else is done. */
  @Test
  void closeDoesNotWaitForPausedColors() {
    List<Object> seen = new ArrayList<>();
    try (Mely real = Mely.builder().cores(2).closeTimeout(Duration.ofHours(1)).build()) {
      Color paused = real.newColor();
      real.pause(paused);
      real.execute(paused, () -> seen.add("never"));
    }
    assertEquals(List.of(), seen);
  }

  @Test
  void theDumpSaysHowMany() {
    assertFalse(mely.inspect().dump().contains("paused"), mely.inspect().dump());
    mely.pause(color);
    assertTrue(mely.inspect().dump().contains("1 colors paused"), mely.inspect().dump());
  }

  @Test
  void aColorOfAnotherRuntimeIsRefused() {
    Color foreign = new StillMely(1, StealPolicy.OFF).mely.newColor();
    for (Runnable call : List.<Runnable>of(() -> mely.pause(foreign), () -> mely.resume(foreign))) {
      Exception e = assertThrows(IllegalArgumentException.class, call::run);
      assertTrue(e.getMessage().contains(foreign.toString()), e.getMessage());
    }
    assertEquals(0, mely.scheduler().pauses.count());
  }
}
