package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.spi.Poller;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A runtime is built as a whole, or not at all. */
@Timeout(300)
class ConstructionTest {
  private static final int CORES = 4;

  private final List<Thread> threads = new ArrayList<>();
  private final List<StrictPoller> pollers = new ArrayList<>();

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3})
  void threadThatCannotStartEndsThoseThatHave(int refused) throws InterruptedException {
    OutOfMemoryError planned = new OutOfMemoryError("unable to create native thread, as planned");
    MelyBuilder builder =
        builder()
            .threadFactory(
                task -> {
                  int number = threads.size();
                  Thread thread =
                      new Thread(task) {
                        @Override
                        public synchronized void start() {
                          if (number == refused) {
                            throw planned;
                          }
                          super.start();
                        }
                      };
                  threads.add(thread);
                  return thread;
                });
    assertSame(planned, assertThrows(OutOfMemoryError.class, builder::build));
    assertEquals(CORES, threads.size());
    assertNothingIsLeft(CORES);
  }

  /** Nobody has started by then. */
  @ParameterizedTest
  @ValueSource(ints = {0, 2})
  void factoryThatMakesNoThread(int missing) throws InterruptedException {
    AtomicInteger made = new AtomicInteger();
    MelyBuilder builder =
        builder().threadFactory(task -> made.getAndIncrement() == missing ? null : keep(task));
    assertThrows(IllegalStateException.class, builder::build);
    assertNothingIsLeft(CORES);
    threads.forEach(thread -> assertEquals(Thread.State.NEW, thread.getState()));
  }

  @Test
  void threadThatHasBeenStartedAlready() throws InterruptedException {
    MelyBuilder builder =
        builder()
            .threadFactory(
                task -> {
                  if (threads.size() < 2) {
                    return keep(task);
                  }
                  Thread started = new Thread(() -> {});
                  started.start();
                  return started;
                });
    assertThrows(IllegalThreadStateException.class, builder::build);
    assertNothingIsLeft(CORES);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 3})
  void pollerThatCannotBeMade(int missing) throws InterruptedException {
    Error planned = new InternalError("planned");
    MelyBuilder builder =
        Mely.builder()
            .cores(CORES)
            .pinned(false)
            .threadFactory(this::keep)
            .pollers(
                core -> {
                  if (core == missing) {
                    throw planned;
                  }
                  return newPoller(core);
                });
    assertSame(planned, assertThrows(InternalError.class, builder::build));
    assertEquals(List.of(), threads);
    assertNothingIsLeft(missing);
  }

  @Test
  @SuppressWarnings("NullAway") // what it must not return
  void factoryThatMakesNoPoller() throws InterruptedException {
    MelyBuilder builder =
        Mely.builder().cores(CORES).pollers(core -> core == 1 ? null : newPoller(core));
    Exception e = assertThrows(IllegalStateException.class, builder::build);
    assertTrue(e.getMessage().contains("core 1"), e.getMessage());
    assertNothingIsLeft(1);
  }

  /** The failure that comes out is the first one. */
  @Test
  void pollersThatCannotBeClosedEither() throws InterruptedException {
    MelyBuilder builder =
        builder()
            .threadFactory(
                task -> {
                  pollers.forEach(poller -> poller.failsToClose = true);
                  throw new IllegalArgumentException("planned");
                });
    Exception e = assertThrows(IllegalArgumentException.class, builder::build);
    assertEquals("planned", e.getMessage());
    assertNothingIsLeft(CORES);
  }

  /** An interrupt that comes while it is being undone is not lost. */
  @Test
  void interruptIsKept() throws InterruptedException {
    Thread.currentThread().interrupt();
    MelyBuilder builder =
        builder()
            .threadFactory(
                task -> {
                  if (threads.size() < CORES - 1) {
                    return keep(task);
                  }
                  Thread started = new Thread(() -> {});
                  started.start();
                  return started;
                });
    assertThrows(IllegalThreadStateException.class, builder::build);
    assertTrue(Thread.interrupted());
    assertNothingIsLeft(CORES);
  }

  @Test
  void afterwardsTheSameBuilderBuilds() throws InterruptedException {
    AtomicBoolean fails = new AtomicBoolean(true);
    MelyBuilder builder =
        builder()
            .threadFactory(
                task -> {
                  if (threads.size() == 1 && fails.getAndSet(false)) {
                    throw new IllegalStateException("planned");
                  }
                  return keep(task);
                });
    assertThrows(IllegalStateException.class, builder::build);
    assertNothingIsLeft(CORES);
    pollers.clear();
    threads.clear();
    try (Mely mely = builder.build()) {
      assertFalse(mely.inspect().isTerminated());
    }
    assertNothingIsLeft(CORES);
  }

  // ---- Helpers

  private MelyBuilder builder() {
    return Mely.builder().cores(CORES).pinned(false).pollers(this::newPoller);
  }

  private Thread keep(Runnable task) {
    Thread thread = new Thread(task);
    thread.setDaemon(true);
    threads.add(thread);
    return thread;
  }

  private Poller newPoller(int core) {
    StrictPoller poller = new StrictPoller();
    pollers.add(poller);
    return poller;
  }

  /** No thread runs, and each poller that was made has been closed once, after its last poll. */
  private void assertNothingIsLeft(int made) throws InterruptedException {
    assertEquals(made, pollers.size());
    for (Thread thread : threads) {
      assertFalse(thread.isAlive(), "build() has waited for it");
      thread.join();
    }
    for (StrictPoller poller : pollers) {
      assertEquals(1, poller.closed.get());
      assertFalse(poller.polledWhenClosed.get());
    }
  }

  /** Parks; notes how often it is closed. */
  private static final class StrictPoller implements Poller {
    final AtomicInteger closed = new AtomicInteger();
    final AtomicBoolean polledWhenClosed = new AtomicBoolean();
    volatile boolean failsToClose;
    private final AtomicBoolean woken = new AtomicBoolean();

    @Override
    public void poll(long maxWaitNanos) {
      if (closed.get() > 0) {
        polledWhenClosed.set(true);
      }
      if (maxWaitNanos > 0 && !woken.get()) {
        LockSupport.parkNanos(1_000_000);
      }
      woken.set(false);
    }

    @Override
    public void wakeup() {
      woken.set(true);
    }

    @Override
    public void close() {
      closed.incrementAndGet();
      if (failsToClose) {
        throw new IllegalStateException("close fails, as planned");
      }
    }
  }
}
