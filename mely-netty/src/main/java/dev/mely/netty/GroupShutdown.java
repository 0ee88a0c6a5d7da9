package dev.mely.netty;

import java.time.Duration;

/**
 * The graceful shutdown of a group, on a thread of its own.
 *
 * <pre>
 *   SHUTTING_DOWN   close every channel and cancel every scheduled task, again and again, until no
 *                   task has run for the quiet period and no channel is left, or time is up
 *   SHUT_DOWN       refuse tasks from outside; run what is pending, and what that posts
 *   TERMINATED      all workers have ended and all descriptors are closed
 * </pre>
 */
final class GroupShutdown implements Runnable {
  /** Handlers that are still running get at least so long, however short the time-out. */
  private static final long MIN_DRAIN_NANOS = 1_000_000_000;

  private static final long MIN_TICK_MILLIS = 1;
  private static final long MAX_TICK_MILLIS = 100;

  private final Engine engine;
  private final long quietPeriod;
  private final long timeout;

  /**
   * @param engine of the group
   * @param quietPeriod nanoseconds
   * @param timeout nanoseconds
   */
  GroupShutdown(Engine engine, long quietPeriod, long timeout) {
    this.engine = engine;
    this.quietPeriod = quietPeriod;
    this.timeout = timeout;
  }

  @Override
  public void run() {
    long start = System.nanoTime();
    long tick = Math.min(MAX_TICK_MILLIS, Math.max(MIN_TICK_MILLIS, quietPeriod / 20_000_000));
    do {
      engine.wind();
    } while (!isOver(start) && pause(tick));
    engine.setState(Engine.SHUT_DOWN);
    long left = timeout - (System.nanoTime() - start);
    engine.mely().shutdown(Duration.ofNanos(Math.max(MIN_DRAIN_NANOS, left)));
    for (Thread thread : engine.threads()) {
      join(thread); // a handler that does not return keeps its thread, as in any event loop
    }
    engine.bury();
    engine.terminated();
  }

  private boolean isOver(long start) {
    long now = System.nanoTime();
    if (now - start >= timeout) {
      return true;
    }
    return now - engine.lastActivity() >= quietPeriod && engine.registrations() == 0;
  }

  private static boolean pause(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      // Nobody has reason to interrupt this thread; it goes on.
    }
    return true;
  }

  @SuppressWarnings("ThreadJoinLoop") // nobody interrupts this thread
  private static void join(Thread thread) {
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        // As above.
      }
    }
  }
}
