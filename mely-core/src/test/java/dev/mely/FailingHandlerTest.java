package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.spi.Poller;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A handler that throws an exception or {@link Error} does not affect other events. */
@Timeout(300)
class FailingHandlerTest {
  private final ConcurrentLinkedQueue<Told> told = new ConcurrentLinkedQueue<>();
  private Mely mely =
      Mely.builder()
          .cores(1)
          .pinned(false)
          .errorHandler((color, event, error) -> told.add(new Told(color, event, error)))
          .build();

  private record Told(Color color, Object event, Throwable error) {}

  /** What a handler may do to us. */
  enum Failure {
    RUNTIME_EXCEPTION(IllegalStateException.class) {
      @Override
      void happen() {
        throw new IllegalStateException("planned");
      }
    },
    CHECKED_EXCEPTION(IOException.class) {
      @Override
      void happen() throws Exception {
        throw new IOException("planned");
      }
    },
    INTERRUPTED(InterruptedException.class) {
      @Override
      void happen() throws Exception {
        Thread.currentThread().interrupt();
        Thread.sleep(1);
      }
    },
    ASSERTION_ERROR(AssertionError.class) {
      @Override
      void happen() {
        throw new AssertionError("planned");
      }
    },
    OUT_OF_MEMORY(OutOfMemoryError.class) {
      @Override
      void happen() {
        throw new OutOfMemoryError("planned");
      }
    },
    STACK_OVERFLOW(StackOverflowError.class) {
      @Override
      void happen() {
        happen();
      }
    },
    LINKAGE(NoClassDefFoundError.class) {
      @Override
      void happen() {
        throw new NoClassDefFoundError("planned");
      }
    };

    final Class<? extends Throwable> type;

    Failure(Class<? extends Throwable> type) {
      this.type = type;
    }

    abstract void happen() throws Exception;
  }

  @AfterEach
  void close() {
    mely.close();
  }

  @ParameterizedTest
  @EnumSource
  void nextEventRunsAndTheWorkerLives(Failure failure) throws InterruptedException {
    List<Thread> threads = new ArrayList<>();
    Color red = mely.newColor();
    Color blue = mely.newColor();
    Handler<Failure> failing =
        Handler.of(
            f -> {
              threads.add(Thread.currentThread());
              f.happen();
            });
    Handler<CountDownLatch> next =
        Handler.of(
            latch -> {
              threads.add(Thread.currentThread());
              latch.countDown();
            });
    CountDownLatch ran = new CountDownLatch(2);
    mely.register(red, failing, failure);
    mely.register(red, next, ran);
    mely.register(blue, next, ran);
    ran.await();
    assertEquals(3, threads.size());
    assertSame(threads.get(0), threads.get(1));
    assertSame(threads.get(0), threads.get(2));
    assertEquals(1, told.size());
    Told once = told.element();
    assertSame(red, once.color);
    assertSame(failure, once.event);
    assertInstanceOf(failure.type, once.error);
    assertEquals(1, mely.inspect().statistics().total().errors());
  }

  @Test
  void everyFailureIsToldOnce() {
    Handler<Integer> failing =
        Handler.of(
            i -> {
              throw new IllegalStateException("planned " + i);
            });
    Color color = mely.newColor();
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      mely.register(color, failing, i);
      expected.add("planned " + i);
    }
    mely.close();
    assertEquals(expected, told.stream().map(t -> t.error.getMessage()).toList());
    assertEquals(1_000, mely.inspect().statistics().total().events());
    assertEquals(1_000, mely.inspect().statistics().total().errors());
  }

  /** It may look at the color and register events of it, as the handler might have. */
  @Test
  void errorHandlerIsStillInsideTheColor() throws InterruptedException {
    mely.close();
    CountDownLatch ran = new CountDownLatch(1);
    ConcurrentLinkedQueue<Boolean> current = new ConcurrentLinkedQueue<>();
    Mely[] holder = new Mely[1];
    mely =
        Mely.builder()
            .cores(1)
            .pinned(false)
            .errorHandler(
                (color, event, error) -> {
                  current.add(color.isCurrent());
                  holder[0].execute(color, ran::countDown);
                })
            .build();
    holder[0] = mely;
    mely.execute(
        mely.newColor(),
        () -> {
          throw new IllegalStateException("planned");
        });
    ran.await();
    assertEquals(List.of(true), List.copyOf(current));
  }

  @Test
  void errorHandlerMayFailToo() throws InterruptedException {
    mely.close();
    AtomicInteger calls = new AtomicInteger();
    mely =
        Mely.builder()
            .cores(1)
            .pinned(false)
            .errorHandler(
                (color, event, error) -> {
                  calls.incrementAndGet();
                  throw new NoClassDefFoundError("planned");
                })
            .build();
    Color color = mely.newColor();
    CountDownLatch ran = new CountDownLatch(1);
    for (int i = 0; i < 3; i++) {
      mely.execute(
          color,
          () -> {
            throw new IllegalStateException("planned");
          });
    }
    mely.execute(color, ran::countDown);
    ran.await();
    assertEquals(3, calls.get());
  }

  @Test
  void failureIsLoggedIfNobodyIsTold() throws InterruptedException {
    mely.close();
    ConcurrentLinkedQueue<LogRecord> records = new ConcurrentLinkedQueue<>();
    Logger logger = Logger.getLogger("dev.mely");
    java.util.logging.Handler listener =
        new java.util.logging.Handler() {
          @Override
          public void publish(LogRecord record) {
            records.add(record);
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    logger.addHandler(listener);
    logger.setUseParentHandlers(false);
    try {
      mely = Mely.builder().cores(1).pinned(false).build();
      Color color = mely.newColor();
      CountDownLatch ran = new CountDownLatch(1);
      IllegalStateException planned = new IllegalStateException("planned");
      mely.execute(
          color,
          () -> {
            throw planned;
          });
      mely.execute(color, ran::countDown);
      ran.await();
      assertEquals(1, records.size());
      assertSame(planned, records.element().getThrown());
      assertEquals(Level.WARNING, records.element().getLevel());
    } finally {
      logger.removeHandler(listener);
      logger.setUseParentHandlers(true);
    }
  }

  /** Neither the next handler nor the wait for events may see it: each wait would be a spin. */
  @Test
  void interruptThatAHandlerLeavesBehindIsForgotten() throws InterruptedException {
    mely.close();
    ConcurrentLinkedQueue<Boolean> flags = new ConcurrentLinkedQueue<>();
    mely =
        Mely.builder()
            .cores(1)
            .batch(1)
            .pinned(false)
            .pollers(
                core ->
                    new Poller() {
                      @Override
                      public synchronized void poll(long maxWaitNanos) throws Exception {
                        flags.add(Thread.currentThread().isInterrupted());
                        if (maxWaitNanos > 0) {
                          wait(1);
                        }
                      }

                      @Override
                      public synchronized void wakeup() {
                        notifyAll();
                      }
                    })
            .build();
    Color red = mely.newColor();
    Color blue = mely.newColor();
    CountDownLatch ran = new CountDownLatch(100);
    for (int i = 0; i < 100; i++) {
      mely.execute(red, () -> Thread.currentThread().interrupt());
      mely.execute(
          blue,
          () -> {
            flags.add(Thread.currentThread().isInterrupted());
            ran.countDown();
          });
    }
    ran.await();
    mely.close();
    assertTrue(flags.size() > 100);
    assertFalse(flags.contains(true));
  }

  @Test
  void pollerThatFailsIsAskedAgain() throws InterruptedException {
    mely.close();
    AtomicInteger polls = new AtomicInteger();
    CountDownLatch asked = new CountDownLatch(5);
    Logger logger = Logger.getLogger("dev.mely");
    logger.setUseParentHandlers(false);
    try {
      mely =
          Mely.builder()
              .cores(1)
              .pinned(false)
              .pollers(
                  core ->
                      new Poller() {
                        @Override
                        public void poll(long maxWaitNanos) throws Exception {
                          asked.countDown();
                          if (polls.incrementAndGet() % 2 == 0) {
                            throw new IOException("planned");
                          }
                          throw new StackOverflowError("planned");
                        }

                        @Override
                        public void wakeup() {}
                      })
              .build();
      asked.await();
      CountDownLatch ran = new CountDownLatch(1);
      mely.execute(mely.newColor(), ran::countDown);
      ran.await();
      mely.close();
      assertTrue(mely.inspect().isTerminated());
    } finally {
      logger.setUseParentHandlers(true);
    }
  }
}
