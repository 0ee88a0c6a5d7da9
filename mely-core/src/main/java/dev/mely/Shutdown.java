package dev.mely;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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
 */
final class Shutdown {
  /** How often to look whether all is quiet, in milliseconds. */
  private static final long LOOK_MILLIS = 1;

  /** How long workers get to leave after the deadline, and again after an interrupt. */
  private static final long LEAVE_MILLIS = 500;

  private final Scheduler scheduler;
  private final @Nullable Watchdog watchdog;
  private @Nullable Thread closer;
  private @Nullable ShutdownReport report;

  /** The caller was interrupted while it waited: to be restored. */
  private boolean interrupted;

  Shutdown(Scheduler scheduler, @Nullable Watchdog watchdog) {
    this.scheduler = scheduler;
    this.watchdog = watchdog;
  }

  synchronized ShutdownReport run(Duration deadline) {
    if (report != null) {
      return report;
    }
    if (closer != null) {
      throw new IllegalStateException("shutdown would wait for the rejected event that calls it");
    }
    closer = Thread.currentThread();
    ShutdownReport done = end(Nanos.of(deadline));
    report = done;
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return done;
  }

  private ShutdownReport end(long nanos) {
    long end = scheduler.host.nanos() + nanos;
    scheduler.setPhase(Scheduler.DRAINING);
    long timers = 0;
    for (int i = 0; i < scheduler.cores(); i++) {
      timers += scheduler.core(i).timers.close();
    }
    Quiet quiet = new Quiet(scheduler);
    while (!quiet.isQuiet() && scheduler.host.nanos() - end < 0) {
      await(null, LOOK_MILLIS);
    }
    scheduler.setPhase(Scheduler.CLOSED);
    for (int i = 0; i < scheduler.cores(); i++) {
      scheduler.core(i).poller.wakeup();
    }
    List<Integer> stuck = new ArrayList<>();
    for (int i = 0; i < scheduler.cores(); i++) {
      Thread thread = scheduler.core(i).startedThread();
      await(thread, LEAVE_MILLIS);
      if (thread.isAlive()) {
        thread.interrupt();
        await(thread, LEAVE_MILLIS);
      }
      if (thread.isAlive()) {
        stuck.add(i);
      }
    }
    scheduler.sweep();
    if (watchdog != null) {
      await(watchdog.stop(), LEAVE_MILLIS);
    }
    long left = scheduler.rejection.count();
    return new ShutdownReport(left == 0 && stuck.isEmpty(), left, timers, stuck);
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
}
