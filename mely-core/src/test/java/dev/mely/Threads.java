package dev.mely;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Several things at the same time, each in a thread of its own. */
final class Threads {
  private final List<Thread> threads = new ArrayList<>();
  private final CountDownLatch start = new CountDownLatch(1);
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

  /** What a thread does. */
  @FunctionalInterface
  interface Action {
    void run() throws Exception;
  }

  Threads add(Action action) {
    Thread thread =
        new Thread(
            () -> {
              try {
                start.await();
                action.run();
              } catch (Throwable t) {
                failure.compareAndSet(null, t);
              }
            });
    thread.setDaemon(true);
    threads.add(thread);
    return this;
  }

  Threads start() {
    threads.forEach(Thread::start);
    start.countDown();
    return this;
  }

  /** Waits for all; a failure of one is a failure of the test. */
  void join() throws InterruptedException {
    for (Thread thread : threads) {
      thread.join();
    }
    Throwable t = failure.get();
    if (t != null) {
      throw new AssertionError("a thread failed", t);
    }
  }

  void run() throws InterruptedException {
    start().join();
  }
}
