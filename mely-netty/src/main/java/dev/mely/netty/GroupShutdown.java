package dev.mely.netty;

import dev.mely.pinning.Unpinned;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * The graceful shutdown of a group, on a thread of its own.
 *
 * <pre>
 *   SHUTTING_DOWN   close every channel and cancel every scheduled task, repeatedly, until time
 *                   is up, or no task has run for the quiet period, none runs or waits, and no
 *                   channel is left
 *   SHUT_DOWN       refuse tasks from other threads; run pending events, and those that they post
 *   TERMINATED      all workers have ended and all descriptors are closed
 * </pre>
 */
final class GroupShutdown implements Runnable {
  /** Handlers that still run get at least this long, even if the time-out is shorter. */
  private static final long MIN_DRAIN_NANOS = 1_000_000_000;

  /** An executor that is shut down runs what it has; not for ever, if that goes on and on. */
  private static final long ORDERLY_DRAIN_NANOS = 15_000_000_000L;

  private static final long MIN_TICK_MILLIS = 1;
  private static final long MAX_TICK_MILLIS = 100;

  /** What the shutdown's thread does, one after the other. */
  private enum Step {
    /** Closes channels, until the group is quiet or time is up. */
    CLOSE,
    END_RUNTIME,
    CLEAN_UP,
    DONE
  }

  private final Cores cores;
  private final GroupState groupState;
  private final long quietPeriod;
  private final long timeout;

  /** For how long pending events run, if the time-out leaves less. */
  private final long drain;

  private GroupShutdown(Cores cores, long quietPeriod, long timeout, long drain) {
    this.cores = cores;
    this.groupState = cores.groupState();
    this.quietPeriod = quietPeriod;
    this.timeout = timeout;
    this.drain = drain;
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
    new GroupShutdown(cores, unit.toNanos(quietPeriod), unit.toNanos(timeout), MIN_DRAIN_NANOS)
        .begin();
  }

  /** See {@link java.util.concurrent.ExecutorService#shutdown}. */
  static void startOrderly(Cores cores) {
    new GroupShutdown(cores, 0, 0, ORDERLY_DRAIN_NANOS).begin();
  }

  private void begin() {
    if (groupState.startShutdown()) {
      try {
        Thread thread = new Thread(() -> Unpinned.run(this), "mely-netty-shutdown");
        thread.setDaemon(true); // the workers decide whether the virtual machine stays alive
        thread.start();
      } catch (Throwable t) {
        groupState.setState(GroupState.RUNNING); // the next call starts it
        throw t;
      }
    }
  }

  @Override
  public void run() {
    long start = System.nanoTime();
    long tick = Math.min(MAX_TICK_MILLIS, Math.max(MIN_TICK_MILLIS, quietPeriod / 20_000_000));
    Step next = Step.CLOSE;
    while (next != Step.DONE) {
      try {
        next = make(next, start, tick);
      } catch (Throwable t) { // no memory, for example: it goes on where this try has stopped
        Log.warn("The shutdown of a group is delayed", t);
        pause(tick);
      }
    }
  }

  private Step make(Step step, long start, long tick) {
    switch (step) {
      case CLOSE -> {
        do {
          ShutdownStep.run(cores::closeAll);
          pause(tick); // first: what closeAll has just posted would count as work
        } while (!isOver(start));
        groupState.setState(GroupState.SHUT_DOWN);
        return Step.END_RUNTIME;
      }
      case END_RUNTIME -> {
        long left = timeout - (System.nanoTime() - start);
        groupState.endRuntime(Duration.ofNanos(Math.max(drain, left)));
        cores.joinThreads(); // a handler that never returns keeps its thread, as in any group
        return Step.CLEAN_UP;
      }
      default -> {
        ShutdownStep.run(groupState::cleanup);
        groupState.terminated();
        return Step.DONE;
      }
    }
  }

  private boolean isOver(long start) {
    long now = System.nanoTime();
    if (now - start >= timeout) {
      return true;
    }
    return now - groupState.lastActivity() >= quietPeriod
        && groupState.registrations() == 0
        && ShutdownStep.ask(groupState.mely().inspect()::isQuiescent);
  }

  private static void pause(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      // No code has a reason to interrupt this thread; it goes on.
    }
  }
}
