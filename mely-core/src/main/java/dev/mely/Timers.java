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
  TimerEvent set(Color color, Handler<?> handler, Object event, Duration delay, long period) {
    StackReserve.check();
    scheduler.check(color);
    Objects.requireNonNull(handler, "handler");
    Objects.requireNonNull(event, "event");
    return start(new TimerEvent(color, handler, event, deadline(delay), period), handler);
  }

  /** When a timer is due that is set now, on the host's clock. */
  long deadline(Duration delay) {
    return scheduler.host.nanos() + Nanos.of(Objects.requireNonNull(delay, "delay"));
  }

  /**
   * Lets a new timer wait.
   *
   * @throws RejectedExecutionException after shutdown began
   */
  TimerEvent start(TimerEvent timer, Handler<?> handler) {
    if (scheduler.phase() != Scheduler.OPEN) {
      throw new RejectedExecutionException(Scheduler.SHUT_DOWN);
    }
    schedule(timer);
    scheduler.registered(handler);
    return timer;
  }

  /** In nanoseconds, more than zero. */
  static long period(String name, Duration period) {
    if (Objects.requireNonNull(period, name).isZero() || period.isNegative()) {
      throw new IllegalArgumentException(name + " must be more than zero, but is " + period);
    }
    return Nanos.of(period);
  }

  // ---- Waiting, and being due

  /** Puts a timer into the queue of its color's core. */
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
   * Lets a periodic timer wait again, after its handler has run. If memory has run out, the timer
   * is over, and its handler is {@linkplain Handler#rejected told}.
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
   * Registers the events of the timers that are due at a core. Any worker may call: an idle one
   * fires the late timers of other cores, and takes the idle colors that become active by that
   * (requirement B12).
   *
   * <p>A timer for which that fails is reported; the others are registered all the same.
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
    if (timer.fire() && !timer.enters()) {
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
