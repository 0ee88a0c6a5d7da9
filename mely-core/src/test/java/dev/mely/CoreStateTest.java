package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.report.ColorState;
import dev.mely.report.CoreState;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What {@link Inspection#state} tells of a core. */
@Timeout(300)
class CoreStateTest {
  private final CountDownLatch release = new CountDownLatch(1);

  /** Called where the handler runs, to be found in its stack. */
  private void waitHere(CountDownLatch inside) {
    inside.countDown();
    Busy.until(release);
  }

  @Test
  void tellsWhatRunsAndWhatWaits() throws Exception {
    try (Mely mely =
        Mely.builder().cores(1).pinned(false).stuckAfter(Duration.ofHours(1)).build()) {
      CountDownLatch inside = new CountDownLatch(1);
      Color held = mely.newColor();
      Handler<CountDownLatch> blocks = Handler.of(this::waitHere);
      mely.register(held, blocks, inside);
      assertTrue(inside.await(120, TimeUnit.SECONDS));
      Color waits = mely.newColor();
      Handler<String> next =
          Handler.of((String e) -> {}).named("next").cost(Duration.ofNanos(6_000)).penalty(3);
      for (int i = 0; i < 5; i++) {
        mely.register(waits, next, "event");
      }
      mely.register(mely.newColor(), next, "event");

      CoreState state = mely.inspect().state(0, 10);
      assertFalse(state.isParked());
      ColorState running = state.running();
      assertNotNull(running);
      assertSame(held, running.color());
      assertSame(blocks, running.handler());
      assertEquals(2, state.colorsWaiting());
      assertEquals(2, state.waiting().size());
      ColorState first = state.waiting().get(0);
      assertSame(waits, first.color());
      assertSame(next, first.handler());
      assertEquals(5, first.pending());
      assertEquals(10_000, first.pendingNanos(), "five times 6 µs, divided by the penalty");
      assertEquals(6_000, first.costNanos());
      assertEquals(3, first.penalty());
      assertEquals("next", first.stage());
      assertEquals(1, first.parts().size(), "whose code it runs");
      assertTrue(
          state.stack().stream().anyMatch(frame -> frame.getMethodName().equals("waitHere")),
          () -> state.stack().toString());

      assertEquals(1, mely.inspect().state(0, 1).waiting().size(), "no more than was asked for");
      assertEquals(2, mely.inspect().state(0, 1).colorsWaiting());
      assertEquals(List.of(), mely.inspect().state(0, 0).waiting());
      assertEquals(state.progress(), mely.inspect().state(0, 0).progress(), "it is stuck");
      release.countDown();
      Awaitility.await().until(() -> mely.inspect().state(0, 10).isParked());
      CoreState idle = mely.inspect().state(0, 10);
      assertTrue(idle.progress() >= state.progress() + 6, "six events were begun since");
      assertNull(idle.running());
      assertEquals(List.of(), idle.waiting());
      assertEquals(0, idle.colorsWaiting());
    } finally {
      release.countDown();
    }
  }

  @Test
  void refusesWhatIsOutOfRange() {
    try (Mely mely = Mely.builder().cores(1).pinned(false).build()) {
      assertThrows(IllegalArgumentException.class, () -> mely.inspect().state(1, 1));
      assertThrows(IllegalArgumentException.class, () -> mely.inspect().state(-1, 1));
      Exception negative =
          assertThrows(IllegalArgumentException.class, () -> mely.inspect().state(0, -1));
      assertEquals("mostWaiting must be 0 or more, but is -1", negative.getMessage());
    }
  }

  /** There are no threads in a runtime that a test drives; and the color's next event is gone. */
  @Test
  void nothingIsKnownOfWhatIsNotThere() {
    StillMely still = new StillMely(1, StealPolicy.OFF);
    assertEquals(List.of(), still.mely.inspect().state(0, 1).stack());
    SeenColor color = SeenColor.running(still.mely.newColor(0), null);
    assertEquals(0, color.costNanos());
    assertEquals(1, color.penalty());
    assertEquals(List.of(), color.parts());
    assertEquals("", color.stage());
  }
}
