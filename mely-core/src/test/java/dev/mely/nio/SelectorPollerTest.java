package dev.mely.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.channels.Pipe;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The wake-up protocol of a selector; a lost wake-up is a test that hangs. */
@Timeout(30)
class SelectorPollerTest {
  private SelectorPoller poller;

  @BeforeEach
  void open() throws Exception {
    poller = new SelectorPoller(0);
  }

  @AfterEach
  void close() {
    poller.close();
  }

  @Test
  void wakeupBeforeTheWaitIsKept() throws Exception {
    poller.wakeup();
    assertEquals(0, poller.poll(Long.MAX_VALUE));
  }

  /** What a thread that polls for a stuck core would do to a selector's own flag. */
  @Test
  void pollWithoutWaitSwallowsNoWakeup() throws Exception {
    poller.wakeup();
    poller.poll(0);
    poller.poll(0);
    assertEquals(0, poller.poll(Long.MAX_VALUE));
  }

  @Test
  void eachWaitTakesItsWakeup() throws Exception {
    for (int i = 0; i < 1_000; i++) {
      FutureTask<Integer> wait = new FutureTask<>(() -> poller.poll(Long.MAX_VALUE));
      new Thread(wait).start();
      if (i % 2 == 0) {
        Thread.yield();
      }
      poller.wakeup();
      assertEquals(0, wait.get());
      // Of a wake-up that came late at most one early return is left.
      poller.poll(1);
    }
  }

  @Test
  void interruptEndsOneWaitAndIsForgotten() throws Exception {
    FutureTask<Boolean> wait =
        new FutureTask<>(
            () -> {
              poller.poll(Long.MAX_VALUE);
              return Thread.currentThread().isInterrupted();
            });
    Thread thread = new Thread(wait);
    thread.start();
    thread.interrupt();
    assertFalse(wait.get());
  }

  @Test
  void waitsAreRoundedUpToMilliseconds() {
    assertEquals(1, SelectorPoller.millis(1));
    assertEquals(1, SelectorPoller.millis(1_000_000));
    assertEquals(2, SelectorPoller.millis(1_000_001));
    assertEquals(0, SelectorPoller.millis(Long.MAX_VALUE)); // endless
    assertEquals(Long.MAX_VALUE / 4 / 1_000_000 + 1, SelectorPoller.millis(Long.MAX_VALUE / 4));
  }

  @Test
  void closesWhatIsRegistered() throws Exception {
    Pipe pipe = Pipe.open();
    pipe.source().configureBlocking(false);
    poller.register(pipe.source());
    poller.close();
    poller.close();
    assertFalse(pipe.source().isOpen());
    pipe.sink().close();
  }

  @Test
  void refusesWhenClosed() throws Exception {
    poller.close();
    Pipe pipe = Pipe.open();
    pipe.source().configureBlocking(false);
    assertThrows(RejectedExecutionException.class, () -> poller.register(pipe.source()));
    pipe.source().close();
    pipe.sink().close();
  }
}
