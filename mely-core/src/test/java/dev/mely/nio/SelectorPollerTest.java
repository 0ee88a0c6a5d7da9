package dev.mely.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.Set;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The wake-up protocol of a selector; a lost wake-up is a test that hangs. */
@Timeout(300)
class SelectorPollerTest {
  private Selector selector;
  private SelectorPoller poller;

  @BeforeEach
  void open() throws Exception {
    selector = Selector.open();
    poller = new SelectorPoller(0, selector);
  }

  @AfterEach
  void close() {
    poller.close();
  }

  private FutureTask<Boolean> startWait() {
    FutureTask<Boolean> wait =
        new FutureTask<>(
            () -> {
              poller.poll(Long.MAX_VALUE);
              return true;
            });
    new Thread(wait).start();
    return wait;
  }

  private int interest(TestPipe pipe) {
    return pipe.in.keyFor(selector).interestOps();
  }

  @Test
  void wakeupBeforeTheWaitIsKept() throws Exception {
    poller.wakeup();
    poller.poll(Long.MAX_VALUE); // returns
  }

  /** What a thread that polls for a stuck core would do to a selector's own flag. */
  @Test
  void pollWithoutWaitSwallowsNoWakeup() throws Exception {
    poller.wakeup();
    poller.poll(0);
    poller.poll(0);
    poller.poll(Long.MAX_VALUE);
  }

  @Test
  void eachWaitTakesItsWakeup() throws Exception {
    for (int i = 0; i < 1_000; i++) {
      FutureTask<Boolean> wait = startWait();
      if (i % 2 == 0) {
        Thread.yield();
      }
      poller.wakeup();
      assertTrue(wait.get());
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
    try (TestPipe pipe = new TestPipe()) {
      poller.register(pipe.in);
      poller.close();
      poller.close();
      assertFalse(pipe.in.isOpen());
    }
  }

  @Test
  void refusesWhenClosed() throws Exception {
    poller.close();
    try (TestPipe pipe = new TestPipe()) {
      assertThrows(RejectedExecutionException.class, () -> poller.register(pipe.in));
    }
  }

  // ---- Channels

  /** What is reported is taken out of the interest set, until somebody puts it in again. */
  @Test
  void reportsOnceWhatIsReady() throws Exception {
    try (TestPipe pipe = new TestPipe()) {
      ChannelKey key = poller.register(pipe.in);
      pipe.write(1);
      poller.poll(0);
      key.arm(SelectionKey.OP_READ);
      assertEquals(SelectionKey.OP_READ, interest(pipe));
      poller.poll(0);
      assertEquals(0, interest(pipe), "reported");
      poller.poll(0);
      assertEquals(0, interest(pipe), "nobody has put it in again");
      key.arm(SelectionKey.OP_READ);
      poller.poll(Long.MAX_VALUE); // returns
      assertEquals(0, interest(pipe), "reported again");
    }
  }

  @Test
  void changeOfInterestWakesThePollThatWaits() throws Exception {
    try (TestPipe pipe = new TestPipe()) {
      ChannelKey key = poller.register(pipe.in);
      pipe.write(1);
      for (int i = 0; i < 100; i++) {
        FutureTask<Boolean> wait = startWait();
        for (int n = i; n > 0; n--) {
          Thread.onSpinWait();
        }
        key.arm(SelectionKey.OP_READ);
        wait.get(); // woken, it may return before it looks
        poller.poll(0);
        assertEquals(0, interest(pipe), "not reported");
      }
    }
  }

  @Test
  void findsWhatIsRegisteredHere() throws Exception {
    try (TestPipe pipe = new TestPipe();
        TestPipe other = new TestPipe()) {
      ChannelKey key = poller.register(pipe.in);
      assertSame(key, poller.find(pipe.in));
      assertNull(poller.find(other.in));
    }
  }

  /** Between the look at what is registered and the end of the selector. */
  @Test
  void refusesWhatIsRegisteredWhileItIsBeingClosed() throws Exception {
    AtomicInteger refused = new AtomicInteger();
    SelectorPoller[] closing = new SelectorPoller[1];
    MonitorSelector monitored =
        new MonitorSelector() {
          @Override
          public Set<SelectionKey> keys() {
            Set<SelectionKey> before = super.keys();
            assertThrows(
                RejectedExecutionException.class,
                () -> closing[0].register(new MonitorChannel(this)));
            refused.incrementAndGet();
            return before;
          }
        };
    closing[0] = new SelectorPoller(0, monitored);
    closing[0].close();
    closing[0].close();
    assertEquals(1, refused.get());
    assertFalse(monitored.isOpen());
  }

  // ---- Faults

  @Test
  void closedPollerWaitsAndIsWoken() throws Exception {
    poller.close();
    assertThrows(ClosedSelectorException.class, () -> poller.poll(0));
    poller.poll(0);
    poller.poll(1);
    poller.wakeup();
    poller.poll(Long.MAX_VALUE);
    for (int i = 0; i < 200; i++) {
      FutureTask<Boolean> wait = startWait();
      if (i % 2 == 0) {
        Thread.yield();
      }
      poller.wakeup();
      assertTrue(wait.get());
      poller.poll(1); // a wish that came late
    }
  }

  /** A select that fails is reported when it begins to fail, and is not tried all the time. */
  @Test
  void failingSelectIsReportedOncePerEpisode() throws Exception {
    AtomicInteger selects = new AtomicInteger();
    boolean[] fails = {true};
    MonitorSelector monitored =
        new MonitorSelector() {
          @Override
          public int select(Consumer<SelectionKey> action, long timeout) throws IOException {
            return selectNow(action);
          }

          @Override
          public int selectNow(Consumer<SelectionKey> action) throws IOException {
            selects.incrementAndGet();
            if (fails[0]) {
              throw new IOException("planted");
            }
            return 0;
          }
        };
    SelectorPoller failing = new SelectorPoller(0, monitored);
    assertThrows(IOException.class, () -> failing.poll(1));
    for (int i = 0; i < 3; i++) {
      failing.poll(1_000_000);
    }
    failing.wakeup();
    failing.poll(Long.MAX_VALUE);
    fails[0] = false;
    failing.poll(0);
    fails[0] = true;
    assertThrows(IOException.class, () -> failing.poll(0));
    assertEquals(7, selects.get());
    failing.close();
  }
}
