package dev.mely;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * The runtime's timers: each waits in the {@link TimerQueue} of the core at which its color was
 * when it was set, and registers its event when it is due. Any thread.
 */
final class Timers {
  private final Scheduler scheduler;

  Timers(Scheduler scheduler) {
    this.scheduler = scheduler;
  }

  // ---- Setting one

  /**
   * Sets a timer, from outside or from a handler.
   *
   * @param period 0: none; above: from due time to due time; below: from the end of one to the next
   * @throws RejectedExecutionException after shutdown began
   */
  Timer set(Color color, Handler<?> handler, Object event, Duration delay, long period) {
    StackReserve.check();
    scheduler.check(color);
    Objects.requireNonNull(handler, "handler");
    Objects.requireNonNull(event, "event");
    if (scheduler.phase() != Scheduler.OPEN) {
      throw new RejectedExecutionException(Scheduler.SHUT_DOWN);
    }
    long deadline = scheduler.host.nanos() + Nanos.of(delay);
    TimerEvent timer = new TimerEvent(color, handler, event, deadline, period);
    schedule(timer);
    scheduler.registered(handler);
    return timer;
  }

  /** In nanoseconds, more than zero. */
  static long period(Duration period) {
    if (period.isZero() || period.isNegative()) {
      throw new IllegalArgumentException("period must be more than zero, but is " + period);
    }
    return Nanos.of(period);
  }

  // ---- Waiting, and being due

  /** Begins to wait. */
  void schedule(TimerEvent timer) {
    Core core = scheduler.core(timer.color().core());
    boolean first;
    try {
      first = core.timers.add(timer);
    } catch (StackOverflowError e) {
      scheduler.setTorn(); // perhaps in the middle of a change to the heap
      throw e;
    }
    if (first) {
      scheduler.idle.wakeHome(core);
    }
  }

  /**
   * Schedules a periodic timer again: the worker that has run it. If memory has run out the timer
   * ends, and its handler is told.
   */
  void scheduleAgain(TimerEvent timer) {
    try {
      schedule(timer);
    } catch (Throwable t) {
      Color color = timer.color();
      scheduler.settings.errors.report(color, color, t);
      if (timer.fire()) { // else it has been cancelled meanwhile
        timer.attachAgain();
        scheduler.rejection.rejectOne(color, timer);
      }
    }
  }

  /**
   * Registers what is due at a core. Any worker: a thief fires overdue timers of its victims, and
   * idle colors that these activate wait at the thief's core (requirement B12).
   *
   * <p>A timer that cannot be registered is reported; the others are registered.
   *
   * @param core whose timers
   * @param now on the host's clock
   * @param by the core of the caller
   */
  void fire(Core core, long now, Core by) {
    if (core.timers.nextDeadline() > now) {
      return;
    }
    TimerEvent timer = core.timers.expire(now);
    while (timer != null) {
      TimerEvent later = timer.unchain(); // before it is in a mailbox
      try {
        fire(timer, core == by ? null : by);
      } catch (Throwable t) {
        scheduler.settings.errors.report(timer.color(), timer.color(), t);
      }
      timer = later;
    }
  }

  private void fire(TimerEvent timer, @Nullable Core at) {
    if (timer.fire()) {
      timer.attachAgain();
      if (scheduler.phase() == Scheduler.CLOSED) {
        scheduler.rejection.rejectOne(timer.color(), timer);
      } else {
        // Rejects it if the runtime is being closed.
        scheduler.enter(timer.color(), timer, at, false);
      }
    }
  }
}
