package dev.mely;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Reports handlers that block their core: once each, with the color and the stack (requirement
 * B12). {@link StuckDetector} lets thieves take the other colors of such a core; this class only
 * reports.
 *
 * <p>A thread of its own, since all workers may be blocked: it wakes up four times in the blocked
 * time and compares each core's epoch, and the number of events that it has begun, with the last
 * ones: several slow events in one batch are not one that blocks. Four looks in a row must agree,
 * so that a pause of the whole process is not mistaken for a blocked handler.
 */
final class BlockedHandlers implements Runnable {
  private static final int LOOKS = 4;

  private final Scheduler scheduler;
  private final long intervalMillis;

  private final int[] epochs;
  private final long[] events;
  private final int[] looks;
  private final long[] since;

  /** How many handlers of each core have been reported. Written by the watchdog's thread. */
  private final long[] reports;

  private @Nullable Thread thread;

  /** Guarded by this. */
  private boolean stopped;

  /**
   * @param reportBlockedNanos how long a core may be in one handler
   */
  BlockedHandlers(Scheduler scheduler, long reportBlockedNanos) {
    this.scheduler = scheduler;
    this.intervalMillis = Math.max(1, reportBlockedNanos / LOOKS / 1_000_000);
    this.epochs = new int[scheduler.cores()];
    this.events = new long[scheduler.cores()];
    this.looks = new int[scheduler.cores()];
    this.since = new long[scheduler.cores()];
    this.reports = new long[scheduler.cores()];
  }

  /** Null if the settings want none reported. */
  static @Nullable BlockedHandlers of(Scheduler scheduler, Settings settings) {
    return settings.reportBlockedNanos == 0
        ? null
        : new BlockedHandlers(scheduler, settings.reportBlockedNanos);
  }

  void start() {
    Thread made = new Thread(this, "mely-watchdog");
    made.setDaemon(true);
    thread = made;
    made.start();
  }

  /** Ends the thread, soon; returns it. */
  synchronized @Nullable Thread stop() {
    stopped = true;
    notifyAll();
    return thread;
  }

  @Override
  public void run() {
    while (sleep()) {
      try {
        look(scheduler.host.nanos());
      } catch (Throwable t) {
        scheduler.settings.errors.report(null, this, t); // the next look may do better
      }
    }
  }

  /** False: the end has come. */
  @SuppressWarnings("WaitNotInLoop") // a look that comes early does no harm
  private synchronized boolean sleep() {
    if (!stopped) {
      try {
        wait(intervalMillis);
      } catch (InterruptedException e) {
        // Ignored: this thread ends with its runtime.
      }
    }
    return !stopped;
  }

  /** One look at all cores. */
  void look(long now) {
    for (int i = 0; i < epochs.length; i++) {
      Core core = scheduler.core(i);
      if (core.isParked() || !standsStill(core)) {
        epochs[i] = core.epoch.getOpaque();
        events[i] = core.counters.events;
        looks[i] = 0;
        since[i] = now;
      } else if (++looks[i] == LOOKS) {
        report(core, now - since[i]);
      }
    }
  }

  /** Whether the core has begun nothing, no color and no event of one, since it last did. */
  private boolean standsStill(Core core) {
    int i = core.index;
    return core.epoch.getOpaque() == epochs[i] && core.counters.events == events[i];
  }

  // ---- Any thread: recent values

  /** How many handlers of that core have been reported. */
  long reports(int core) {
    return reports[core];
  }

  /** For how long the core has been in one handler, at least; 0: not for long. */
  long stuckNanos(Core core, long now) {
    int i = core.index;
    boolean same = looks[i] > 0 && standsStill(core) && !core.isParked();
    return same ? Math.max(0, now - since[i]) : 0;
  }

  private void report(Core core, long nanos) {
    Color color = core.batch.color();
    Handler<?> handler = core.batch.handler;
    Thread worker = scheduler.host.thread(core.index);
    StackTraceElement[] stack = worker == null ? new StackTraceElement[0] : worker.getStackTrace();
    // Once more: the event may have ended meanwhile, whether or not another one has begun.
    boolean same = color == core.batch.color() && handler == core.batch.handler;
    if (color != null && handler != null && same && standsStill(core)) {
      reports[core.index]++;
      scheduler.settings.errors.reportBlocked(
          core.index, color, handler, Duration.ofNanos(nanos), stack);
    }
  }
}
