package dev.mely;

import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Rejects events that were accepted and will never run: those that are left at the end, and those
 * whose color cannot be queued for lack of memory. Their handlers are told; the color is idle
 * afterwards. ({@link Overload} refuses events before they are accepted.) Any thread.
 */
final class Rejection {
  private final Scheduler scheduler;
  private final AtomicLong rejected = new AtomicLong();

  Rejection(Scheduler scheduler) {
    this.scheduler = scheduler;
  }

  /** How many events were accepted and then rejected. */
  long count() {
    return rejected.get();
  }

  // ---- Colors

  /**
   * At the end: rejects the events of a color that is queued, if no other thread has claimed it.
   */
  void reject(Color color) {
    // Dekker pattern: the caller has linked an event, then looks at the state; rejectAll sets the
    // state, then looks at the links. With a full fence on both sides at least one sees the other.
    VarHandle.fullFence();
    if (color.claimToReject()) {
      rejectAll(color);
    }
  }

  /** At the end: rejects everything in a color that the caller has claimed, and releases it. */
  void rejectAll(Color color) {
    while (!rejectPending(color)) {
      // A producer is about to link its event, and will reject it itself.
      scheduler.place(color, scheduler.core(color.core()));
      VarHandle.fullFence();
      if (!color.canTake() || !color.claimToReject()) {
        return;
      }
    }
  }

  /**
   * A color is QUEUED, and memory has run out for its entry in the core-queue. No worker would find
   * the color, so its events are rejected at once; the next event may try again.
   *
   * @param why the queue could not take it
   */
  void turnAway(Color color, Throwable why) {
    scheduler.settings.errors.report(color, color, why);
    if (color.claimToReject()) { // else another thread has found it by a stale entry: all is well
      while (!rejectPending(color)) {
        awaitLink();
      }
    }
  }

  /**
   * A producer is about to link its event, and will not come back for it. BlockHound knows the
   * method's name.
   */
  private static void awaitLink() {
    Thread.onSpinWait();
  }

  /**
   * Rejects what can be taken from a color that the caller has claimed, and releases it.
   *
   * @return false if a producer is about to link an event: the caller still holds the color
   */
  private boolean rejectPending(Color color) {
    while (true) {
      Event event = color.take();
      if (event != null) {
        if (scheduler.policy.steals() && color.clearFirst() == 0) {
          color.addPending(-1, -scheduler.weigh(event));
        }
        rejectOne(color, event);
      } else if (color.hasPending()) {
        return false;
      } else {
        color.settleWeight();
        if (color.release(color.core())) {
          return true;
        }
      }
    }
  }

  // ---- Events

  /** Rejects an event that has left its color, or never got there. */
  void rejectOne(Color color, Event event) {
    Handler<Object> handler = event.detach();
    if (scheduler.overload != null) {
      scheduler.overload.left(color, event);
    }
    reject(handler, event);
  }

  /** Rejects an event that is pending no more, or never was. */
  void reject(Handler<Object> handler, Event event) {
    Object payload = event.payload();
    if (event instanceof TimerEvent timer) {
      timer.drop();
    }
    if (payload != null) { // else: a timer that was cancelled in time, or a ticket
      rejectTaken(handler, payload);
    }
    if (event instanceof PermissionEvent special) {
      special.dropped();
    } else if (event instanceof Reply reply) {
      fail(reply);
    }
  }

  /** Rejects what an event that has been taken held, and its handler will not be given. */
  void rejectTaken(Handler<Object> handler, Object payload) {
    rejected.incrementAndGet();
    tell(handler, payload);
  }

  private void fail(Reply reply) {
    try {
      reply.fail(null);
    } catch (Throwable t) { // no memory
      scheduler.settings.errors.report(null, reply, t);
    }
  }

  /**
   * Tells a handler of an event that will never run. By the thread that holds the event's color.
   */
  void tell(Handler<Object> handler, Object payload) {
    try {
      handler.rejected(payload);
    } catch (Throwable t) {
      scheduler.settings.errors.report(null, payload, t);
    }
  }
}
