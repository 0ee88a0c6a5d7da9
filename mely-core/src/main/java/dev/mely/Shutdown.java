package dev.mely;

import dev.mely.report.ShutdownReport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The end of a runtime, once.
 *
 * <pre>
 *   OPEN --&gt; DRAINING                  --&gt; CLOSED               --&gt; workers gone
 *            timers dropped, outside       quiet, or deadline;      rings swept: what is
 *            events refused                workers leave            left is rejected
 * </pre>
 *
 * <p>Every wait has a bound. A call that runs out of memory may be repeated: it goes on where the
 * first one stopped.
 */
final class Shutdown {
  /** How often to look whether the runtime is quiescent, in milliseconds. */
  private static final long LOOK_MILLIS = 1;

  /** How long workers get to leave after the deadline, and again after an interrupt. */
  private static final long LEAVE_MILLIS = 500;

  private final Scheduler scheduler;
  private final @Nullable BlockedHandlers blockedHandlers;
  private @Nullable Thread closer;
  private @Nullable ShutdownReport report;

  /** How many timers have been dropped. */
  private long timers;

  /** The caller was interrupted while it waited: to be restored. */
  private boolean interrupted;

  Shutdown(Scheduler scheduler, @Nullable BlockedHandlers blockedHandlers) {
    this.scheduler = scheduler;
    this.blockedHandlers = blockedHandlers;
  }

  /**
   * Shuts the runtime down, or waits for the thread that does.
   *
   * @throws IllegalStateException if a handler calls, or an event that is just being rejected; or
   *     if {@link MelyBuilder#shutdownGuard} says so
   */
  ShutdownReport run(Duration deadline) {
    Objects.requireNonNull(deadline, "deadline");
    if (scheduler.phase() == Scheduler.OPEN) {
      scheduler.settings.shutdownGuard.run();
    }
    if (scheduler.currentCore() != null) {
      throw new IllegalStateException("shutdown would wait for the handler that calls it");
    }
    return runOnce(deadline);
  }

  private synchronized ShutdownReport runOnce(Duration deadline) {
    if (report != null) {
      return report;
    }
    if (closer != null) {
      throw new IllegalStateException("shutdown would wait for the rejected event that calls it");
    }
    closer = Thread.currentThread();
    try {
      ShutdownReport done = end(Nanos.of(deadline));
      report = done;
      if (!done.drained()) {
        logLeft(done, deadline);
      }
      return done;
    } finally {
      closer = null;
      restoreInterrupt();
    }
  }

  /** Logs that a runtime has ended, and that some accepted events have not run. */
  private static void logLeft(ShutdownReport report, Duration deadline) {
    try {
      Errors.warn(describe(report, deadline), null);
    } catch (Throwable t) {
      // Out of memory: the report says so anyway.
    }
  }

  private static String describe(ShutdownReport report, Duration deadline) {
    StringBuilder text = new StringBuilder("not all that the runtime had accepted has run by its ");
    text.append("end, with a deadline of ").append(Nanos.of(deadline) / 1_000_000).append(" ms: ");
    text.append(report.eventsLeft()).append(" events rejected");
    if (!report.stuckCores().isEmpty()) {
      text.append("; cores still in a handler: ").append(report.stuckCores());
      text.append(", what waits behind those is rejected when they return");
    } else if (report.eventsLeft() == 0) {
      text.append("; an Error has broken off a registration, and its color's events may be lost");
    }
    if (report.timersCancelled() > 0) {
      text.append("; timers cancelled: ").append(report.timersCancelled());
    }
    return text.toString();
  }

  private ShutdownReport end(long nanos) {
    if (scheduler.phase() != Scheduler.CLOSED) { // else a call before ran out of memory
      drain(scheduler.host.nanos() + nanos);
      scheduler.setPhase(Scheduler.CLOSED);
    }
    List<Integer> stuck = dismiss(scheduler.cores());
    scheduler.sweep();
    if (blockedHandlers != null) {
      await(blockedHandlers.stop(), LEAVE_MILLIS);
    }
    long left = scheduler.rejection.count();
    boolean drained = left == 0 && stuck.isEmpty() && !scheduler.isTorn();
    return new ShutdownReport(drained, left, timers, stuck);
  }

  private void drain(long end) {
    scheduler.setPhase(Scheduler.DRAINING);
    for (int i = 0; i < scheduler.cores(); i++) {
      timers += scheduler.core(i).timers.close();
    }
    Quiescence quiet = new Quiescence(scheduler);
    while (!quiet.isQuiescent() && scheduler.host.nanos() - end < 0) {
      await(null, LOOK_MILLIS);
    }
  }

  /**
   * After a construction that has failed: ends the workers that run, and closes the pollers of the
   * others. There are no events: no caller has ever had this runtime.
   *
   * @param started the number of workers that run, those of the first cores
   */
  void abandon(int started) {
    scheduler.setPhase(Scheduler.CLOSED);
    for (int i = started; i < scheduler.cores(); i++) {
      scheduler.core(i).closePoller();
    }
    dismiss(started);
    restoreInterrupt();
  }

  /** Whether all workers have ended. Any thread. */
  boolean isTerminated() {
    for (int i = 0; i < scheduler.cores(); i++) {
      Thread thread = scheduler.host.thread(i);
      if (thread != null && thread.isAlive()) {
        return false;
      }
    }
    return true;
  }

  /** Waits for the workers of the first cores to leave; returns the cores whose workers do not. */
  private List<Integer> dismiss(int workers) {
    for (int i = 0; i < workers; i++) {
      scheduler.core(i).wakeUp();
    }
    List<Integer> stuck = new ArrayList<>();
    for (int i = 0; i < workers; i++) {
      Thread thread = scheduler.host.thread(i);
      if (thread == null) {
        continue; // a driver makes the steps of this worker
      }
      await(thread, LEAVE_MILLIS);
      if (thread.isAlive()) {
        thread.interrupt();
        await(thread, LEAVE_MILLIS);
      }
      if (thread.isAlive()) {
        stuck.add(i);
      }
    }
    return stuck;
  }

  /** Waits for a thread to end, or just waits; an interrupt is kept for later. */
  private void await(@Nullable Thread thread, long millis) {
    interrupted |= Thread.interrupted();
    try {
      if (thread == null) {
        TimeUnit.MILLISECONDS.sleep(millis);
      } else {
        thread.join(millis);
      }
    } catch (InterruptedException e) {
      interrupted = true;
    }
  }

  private void restoreInterrupt() {
    if (interrupted) {
      interrupted = false;
      Thread.currentThread().interrupt();
    }
  }
}
