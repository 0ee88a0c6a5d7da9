package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.Mely.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

/**
 * What the runtime hands out comes back as the payload of events: a timer that one color sends to
 * another, an event that an error handler registers again. It arrives, and does what it did before.
 */
class HandlePayloadTest {
  private static final Duration SOON = Duration.ofMillis(1);
  private static final Duration LATER = Duration.ofMillis(2);

  private final List<Object> handled = new ArrayList<>();
  private final Handler<Object> note = Handler.of(handled::add);

  private static StillMely still() {
    return new StillMely(1, StealPolicy.ALL);
  }

  @Test
  void timerIsAMessageLikeAnyOther() {
    StillMely still = still();
    Mely mely = still.mely;
    Timer timer = mely.schedule(mely.newColor(), note, "due", SOON);
    mely.register(mely.newColor(), note, timer);
    mely.registerUrgent(mely.newColor(), note, timer);
    still.run(0);
    assertEquals(List.of(timer, timer), handled);
    assertFalse(timer.isDone());
    still.run(0);
    still.pass(LATER.toNanos());
    assertEquals(List.of(timer, timer, "due"), handled);
    assertTrue(timer.isDone());
    assertEquals(List.of(), still.errors);
  }

  /** Several times at once, while it waits for its own color, and with the timer's own handler. */
  @Test
  void timerMayBeUnderWayInManyColors() {
    StillMely still = still();
    Mely mely = still.mely;
    Color red = mely.newColor();
    Timer timer = mely.schedule(red, note, "due", SOON);
    for (int i = 0; i < 3; i++) {
      mely.register(red, note, timer);
      mely.register(mely.newColor(), note, timer);
    }
    still.run(0);
    still.pass(LATER.toNanos());
    assertEquals(7, handled.size());
    assertEquals(6, handled.stream().filter(timer::equals).count());
    assertTrue(handled.contains("due"));
    assertEquals(List.of(), still.errors);
  }

  /** The other color cancels it, as it was sent to do. */
  @Test
  void whoeverIsSentATimerMayCancelIt() {
    StillMely still = still();
    Mely mely = still.mely;
    Timer timer = mely.scheduleAtFixedRate(mely.newColor(), note, "due", SOON, SOON);
    mely.register(mely.newColor(), Handler.of(Timer::cancel), timer);
    still.run(0);
    assertTrue(timer.isDone());
    still.pass(LATER.toNanos());
    assertEquals(List.of(), handled);
    assertEquals(List.of(), still.errors);
  }

  /** The timer's handler takes strings only: it is never given the timer's companion. */
  @Test
  void timerKeepsItsHandler() {
    StillMely still = still();
    Mely mely = still.mely;
    List<String> strings = new ArrayList<>();
    Handler<Long> numbers = Handler.of(n -> handled.add(n + 1));
    Timer timer =
        mely.schedule(
            mely.newColor(), Handler.of((String s) -> strings.add(s.trim())), "due", SOON);
    mely.register(mely.newColor(), note, timer);
    mely.register(mely.newColor(), numbers, 1L);
    still.run(0);
    still.pass(LATER.toNanos());
    assertEquals(List.of("due"), strings);
    assertEquals(List.of(), still.errors);
    assertEquals(2, handled.size());
  }

  @Test
  void timerAsPayloadOfATimer() {
    StillMely still = still();
    Mely mely = still.mely;
    Timer inner = mely.schedule(mely.newColor(), note, "due", Duration.ofDays(1));
    mely.schedule(mely.newColor(), Handler.of(Timer::cancel), inner, SOON);
    still.run(0);
    still.pass(LATER.toNanos());
    assertTrue(inner.isDone());
    assertEquals(List.of(), still.errors);
  }

  /** It takes room while it is under way, and gives it back, whatever becomes of the timer. */
  @Test
  void timerAsPayloadLeaksNoRoom() {
    SettingsBuilder settings = new SettingsBuilder();
    settings.maxPending = 2;
    settings.maxPendingPerColor = 2;
    StillMely still = new StillMely(settings);
    Mely mely = still.mely;
    Color red = mely.newColor();
    for (int round = 0; round < 5; round++) {
      Timer timer = mely.schedule(mely.newColor(), note, "due", SOON);
      mely.register(red, note, timer);
      mely.register(red, note, timer);
      assertThrows(RejectedExecutionException.class, () -> mely.register(red, note, timer));
      timer.cancel();
      still.run(0);
    }
    assertEquals(10, handled.size());
    assertEquals(List.of(), still.errors);
  }

  /** The natural error handler: whatever has failed is registered once more. */
  @Test
  void whatAnErrorHandlerIsGivenMayBeRegisteredAgain() {
    Mely[] runtime = new Mely[1];
    List<Object> failed = new ArrayList<>();
    Handler<Object> retry = Handler.of(handled::add);
    SettingsBuilder settings = new SettingsBuilder();
    settings.errors =
        (color, event, error) -> {
          failed.add(event);
          runtime[0].register(color, retry, event);
        };
    FakeHost host = new FakeHost();
    runtime[0] = new Mely(host, settings.build(), host::newPoller, new int[1]);
    Mely mely = runtime[0];
    Handler<Object> failing =
        Handler.of(
            e -> {
              throw new IllegalStateException("planted");
            });
    Event own = new Event() {};
    Timer timer = mely.schedule(mely.newColor(), note, "due", Duration.ofDays(1));
    Event behalf = new OnBehalf(timer);
    for (Object event : new Object[] {"text", own, timer, behalf}) {
      mely.register(mely.newColor(), failing, event);
    }
    mely.schedule(mely.newColor(), failing, "timed", SOON);
    host.advance(LATER.toNanos());
    for (int i = 0; i < 200; i++) {
      host.as(0, () -> host.worker(0).step());
    }
    assertEquals(5, failed.size());
    assertEquals(List.copyOf(failed), List.copyOf(handled));
    assertTrue(failed.containsAll(List.of("text", own, timer, "timed")));
    assertFalse(behalf.isPending());
    assertSame(timer, failed.get(3));
  }

  /** An event that stands for something else. */
  private static final class OnBehalf extends Event {
    private final Object subject;

    OnBehalf(Object subject) {
      this.subject = subject;
    }

    @Override
    protected Object subject() {
      return subject;
    }
  }
}
