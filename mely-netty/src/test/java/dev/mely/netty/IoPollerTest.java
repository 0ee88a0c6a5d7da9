package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.local.LocalIoHandler;
import io.netty.channel.nio.NioIoHandler;
import java.net.ProtocolFamily;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.AbstractSelectableChannel;
import java.nio.channels.spi.AbstractSelector;
import java.nio.channels.spi.SelectorProvider;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(300)
class IoPollerTest {
  private static IoPoller poller(Io io) {
    return new IoPoller(0, io == Io.NIO ? NioIoHandler.newFactory() : EpollIoHandler.newFactory());
  }

  @ParameterizedTest
  @EnumSource
  void aWakeupBeforeTheWaitIsKept(Io io) {
    IoPoller poller = poller(io);
    for (int i = 0; i < 100; i++) {
      poller.wakeup();
      poller.wakeup();
      poller.poll(0); // does not use it up
      poller.poll(Long.MAX_VALUE); // returns
    }
    poller.close();
  }

  /**
   * As from a thief that polls for this core, or a thread that registers a channel, and posts to a
   * color of this core while the worker is about to wait.
   */
  @ParameterizedTest
  @EnumSource
  void aWakeupFromInsideTheSectionIsKept(Io io) {
    IoPoller poller = poller(io);
    poller.section().execute(poller::wakeup);
    poller.poll(1); // takes what the handler itself has left over
    poller.section().execute(poller::wakeup);
    poller.poll(Long.MAX_VALUE); // returns
    poller.close();
  }

  @ParameterizedTest
  @EnumSource
  void aWakeupDuringTheWaitEndsIt(Io io) throws Exception {
    IoPoller poller = poller(io);
    int rounds = 2_000;
    CountDownLatch ended = new CountDownLatch(rounds);
    Thread worker =
        new Thread(
            () -> {
              for (int i = 0; i < rounds; i++) {
                poller.poll(Long.MAX_VALUE);
                ended.countDown();
              }
            });
    worker.start();
    while (ended.getCount() > 0) {
      poller.wakeup();
    }
    worker.join();
    poller.close();
  }

  @ParameterizedTest
  @EnumSource
  void aWaitEndsByItself(Io io) {
    IoPoller poller = poller(io);
    poller.poll(TimeUnit.MICROSECONDS.toNanos(100));
    poller.poll(TimeUnit.MILLISECONDS.toNanos(3));
    poller.close();
  }

  /**
   * While a color closes a channel that is readable, its selector returns at once, with nothing.
   * Netty takes that for a bug of the JDK, and builds a new selector.
   */
  @Test
  void aSelectorThatReturnsEarlyIsKept() throws Exception {
    AtomicInteger opened = new AtomicInteger();
    AtomicInteger selects = new AtomicInteger();
    IoPoller poller = new IoPoller(0, NioIoHandler.newFactory(new EarlySelectors(opened, selects)));
    for (int i = 0; i < 1_000; i++) {
      poller.poll(TimeUnit.HOURS.toNanos(1));
    }
    poller.close();
    assertTrue(selects.get() > 1_000, () -> selects + " selects");
    assertEquals(1, opened.get(), "selectors");
  }

  /** The selectors of this provider find nothing, without waiting. */
  private static final class EarlySelectors extends SelectorProvider {
    private final AtomicInteger opened;
    private final AtomicInteger selects;

    EarlySelectors(AtomicInteger opened, AtomicInteger selects) {
      this.opened = opened;
      this.selects = selects;
    }

    @Override
    public AbstractSelector openSelector() {
      opened.incrementAndGet();
      return new AbstractSelector(this) {
        @Override
        protected void implCloseSelector() {}

        @Override
        protected SelectionKey register(AbstractSelectableChannel channel, int ops, Object att) {
          throw new UnsupportedOperationException();
        }

        @Override
        public Set<SelectionKey> keys() {
          return Set.of();
        }

        @Override
        public Set<SelectionKey> selectedKeys() {
          return Set.of();
        }

        @Override
        public int selectNow() {
          return 0;
        }

        @Override
        public int select(long timeout) {
          selects.incrementAndGet();
          return 0;
        }

        @Override
        public int select() {
          return select(0);
        }

        @Override
        public Selector wakeup() {
          return this;
        }
      };
    }

    @Override
    public DatagramChannel openDatagramChannel() {
      throw new UnsupportedOperationException();
    }

    @Override
    public DatagramChannel openDatagramChannel(ProtocolFamily family) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Pipe openPipe() {
      throw new UnsupportedOperationException();
    }

    @Override
    public ServerSocketChannel openServerSocketChannel() {
      throw new UnsupportedOperationException();
    }

    @Override
    public SocketChannel openSocketChannel() {
      throw new UnsupportedOperationException();
    }
  }

  @ParameterizedTest
  @EnumSource
  void aTaskForTheSectionEndsTheWait(Io io) throws Exception {
    IoPoller poller = poller(io);
    Thread worker = new Thread(() -> poller.poll(Long.MAX_VALUE));
    worker.start();
    assertEquals("ran", poller.section().call(() -> "ran"));
    poller.wakeup(); // the call may have been quicker than the worker
    worker.join();
    poller.close();
  }

  @Test
  void waitsOfAFewMillisecondsShareTheirDeadlines() {
    long wait = TimeUnit.MILLISECONDS.toNanos(5);
    Set<Long> deadlines = new HashSet<>();
    int asked = 0;
    long start = System.nanoTime();
    do {
      long before = System.nanoTime();
      long deadline = IoPoller.deadline(wait);
      assertTrue(deadline - before >= wait, "not too early");
      assertTrue(deadline - System.nanoTime() <= wait + wait / 8, "not much too late");
      deadlines.add(deadline);
      asked++;
    } while (System.nanoTime() - start < 2_000_000 || asked < 1_000);
    assertTrue(deadlines.size() * 10 <= asked, () -> deadlines.size() + " deadlines");
  }

  @Test
  void anEndlessWaitHasNoDeadline() {
    assertEquals(-1, IoPoller.deadline(Long.MAX_VALUE));
  }

  @Test
  void aPollIsPutOffUntilWhatTheLastOneHasFoundIsWorkedOff() {
    AtomicInteger runs = new AtomicInteger();
    IoPoller poller = new IoPoller(0, executor -> new CountingIoHandler(runs));
    poller.section().bindTo(Thread.currentThread());
    Readiness reported = new ModelSource().readiness;
    poller.poll(0);
    assertEquals(1, runs.get());

    assertTrue(reported.claim());
    for (int i = 0; i < 10_000_000; i++) {
      poller.posted(reported); // as many as would take more than a minute
    }
    poller.poll(0);
    assertEquals(1, runs.get(), "polled in spite of what it has found");

    reported.handled();
    poller.poll(0);
    assertEquals(2, runs.get(), "not polled though all has been worked off");
    poller.close();
  }

  @Test
  void manyEventsKeepACoreFromPollingForLonger() {
    assertEquals(1_000_000, IoPoller.patience(1));
    assertEquals(1_000_000, IoPoller.patience(125));
    assertEquals(8_000_000, IoPoller.patience(1_000));
    assertEquals(1_600_000_000_000L, IoPoller.patience(200_000_000), "no overflow");
  }

  @Test
  void anotherThreadMayPollWhereTheTransportAllowsIt() {
    IoPoller nio = poller(Io.NIO);
    assertTrue(nio.isTransferable());
    nio.close();
    assertFalse(new IoPoller(0, LocalIoHandler.newFactory()).isTransferable());
  }

  /** io_uring gives up its wake-up when it begins to close. */
  @Test
  void aHandlerThatIsBoundToItsThreadDoesNotWaitWhileItCloses() {
    IoPoller local = new IoPoller(0, LocalIoHandler.newFactory());
    local.section().bindTo(Thread.currentThread());
    local.closeHandles();
    local.poll(Long.MAX_VALUE); // returns, without any wake-up
    local.close();
  }

  /** Finds nothing. */
  private static final class CountingIoHandler implements IoHandler {
    private final AtomicInteger runs;

    CountingIoHandler(AtomicInteger runs) {
      this.runs = runs;
    }

    @Override
    public int run(IoHandlerContext context) {
      runs.incrementAndGet();
      return 0;
    }

    @Override
    public IoRegistration register(IoHandle handle) {
      throw new UnsupportedOperationException("nothing to register here");
    }

    @Override
    public boolean isCompatible(Class<? extends IoHandle> handleType) {
      return false;
    }

    @Override
    public void wakeup() {}
  }
}
