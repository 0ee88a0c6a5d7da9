package dev.mely.netty;

import dev.mely.pinning.Unpinned;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * The graceful shutdown of a group, on a thread of its own.
 *
 * <pre>
 *   SHUTTING_DOWN   close every channel and cancel every scheduled task, again and again, until no
 *                   task has run for the quiet period, none runs or waits, and no channel is left,
 *                   or time is up
 *   SHUT_DOWN       refuse tasks from outside; run what is pending, and what that posts
 *   TERMINATED      all workers have ended and all descriptors are closed
 * </pre>
 */
final class GroupShutdown implements Runnable {
  /** Handlers that are still running get at least so long, however short the time-out. */
  private static final long MIN_DRAIN_NANOS = 1_000_000_000;

  private static final long MIN_TICK_MILLIS = 1;
  private static final long MAX_TICK_MILLIS = 100;

  private final Cores cores;
  private final Engine engine;
  private final long quietPeriod;
  private final long timeout;

  private GroupShutdown(Cores cores, long quietPeriod, long timeout) {
    this.cores = cores;
    this.engine = cores.engine();
    this.quietPeriod = quietPeriod;
    this.timeout = timeout;
  }

  /** See {@link io.netty.util.concurrent.EventExecutorGroup#shutdownGracefully}. */
  static void start(Cores cores, long quietPeriod, long timeout, TimeUnit unit) {
    Objects.requireNonNull(unit, "unit");
    if (quietPeriod < 0) {
      throw new IllegalArgumentException("quietPeriod: " + quietPeriod + " (expected: >= 0)");
    }
    if (timeout < quietPeriod) {
      throw new IllegalArgumentException(
          "timeout: " + timeout + " (expected >= quietPeriod (" + quietPeriod + "))");
    }
    if (cores.engine().startShutdown()) {
      GroupShutdown shutdown =
          new GroupShutdown(cores, unit.toNanos(quietPeriod), unit.toNanos(timeout));
      Thread thread = new Thread(() -> Unpinned.run(shutdown), "mely-netty-shutdown");
      thread.setDaemon(true); // the workers keep the virtual machine alive if they are to
      try {
        thread.start();
      } catch (Throwable t) {
        cores.engine().setState(Engine.RUNNING); // nobody would end it: it may be asked again
        throw t;
      }
    }
  }

  @Override
  public void run() {
    long start = System.nanoTime();
    long tick = Math.min(MAX_TICK_MILLIS, Math.max(MIN_TICK_MILLIS, quietPeriod / 20_000_000));
    do {
      Attempt.at(cores::closeAll);
      pause(tick); // first: what the loops have just been told would count as their work
    } while (!isOver(start));
    engine.setState(Engine.SHUT_DOWN);
    long left = timeout - (System.nanoTime() - start);
    Duration deadline = Duration.ofNanos(Math.max(MIN_DRAIN_NANOS, left));
    while (!Attempt.at(() -> engine.endRuntime(deadline))) {
      pause(tick); // no memory, say: it goes on where it has stopped, and workers wait for it
    }
    cores.joinThreads(); // a handler that does not return keeps its thread, as in any event loop
    Attempt.at(engine::cleanup);
    engine.terminated();
  }

  private boolean isOver(long start) {
    long now = System.nanoTime();
    if (now - start >= timeout) {
      return true;
    }
    return now - engine.lastActivity() >= quietPeriod
        && engine.registrations() == 0
        && Attempt.answers(engine.mely().inspect()::isQuiescent);
  }

  private static void pause(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      // Nobody has reason to interrupt this thread; it goes on.
    }
  }
}
