package dev.mely;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;

/** Runtimes that a test closes, whose threads must have ended when it is over. */
final class Runtimes {
  private final ConcurrentLinkedQueue<Thread> threads = new ConcurrentLinkedQueue<>();

  /** Until this is open, {@link #block} waits. */
  final CountDownLatch unblock = new CountDownLatch(1);

  /** Whether a worker's thread still runs. */
  boolean isAnyAlive() {
    return threads.stream().anyMatch(Thread::isAlive);
  }

  /** Lets all handlers go on, and waits for the threads. */
  void end() throws InterruptedException {
    unblock.countDown();
    for (Thread thread : threads) {
      thread.join();
    }
  }

  Mely mely(int cores) {
    return builder(cores).build();
  }

  MelyBuilder builder(int cores) {
    return Mely.builder()
        .cores(cores)
        .pinned(false)
        .errorHandler((color, event, error) -> {})
        .threadFactory(
            task -> {
              Thread thread = new Thread(task);
              thread.setDaemon(true);
              threads.add(thread);
              return thread;
            });
  }

  void block() {
    try {
      unblock.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  void blockUntilInterrupted(Mely mely, Color color) throws InterruptedException {
    CountDownLatch started = new CountDownLatch(1);
    mely.execute(
        color,
        () -> {
          started.countDown();
          block();
        });
    started.await();
  }

  static void uninterruptibly(CountDownLatch latch) {
    while (true) {
      try {
        latch.await();
        return;
      } catch (InterruptedException e) {
        // Later.
      }
    }
  }
}
