package dev.mely;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * The timers of one core, by deadline. Any thread may add; any worker may collect what is due, so a
 * core that is stuck in a handler does not hold up the timers of other colors. A small lock is
 * enough: it is held for a few heap operations and never while anything else is locked.
 */
final class TimerQueue {
  /** {@link #nextDeadline} when there is no timer. */
  static final long NONE = Long.MAX_VALUE;

  private static final VarHandle NEXT;

  static {
    try {
      NEXT = MethodHandles.lookup().findVarHandle(TimerQueue.class, "next", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** Guarded by this. */
  private final PriorityQueue<TimerEvent> heap = new PriorityQueue<>();

  /** Cancelled timers that are still in the heap. Guarded by this. */
  private int cancelled;

  /** Guarded by this. */
  private long added;

  private boolean closed;

  /** Earliest deadline. Written under the lock; read without it, as a hint. */
  private long next = NONE;

  /**
   * Adds a timer.
   *
   * @return true if it is the earliest now: the core's worker may have to wait less
   */
  synchronized boolean add(TimerEvent timer) {
    if (closed) {
      timer.drop();
      return false;
    }
    timer.waitsIn(this, added++);
    heap.add(timer);
    if (timer.deadline() < next) {
      NEXT.setVolatile(this, timer.deadline());
      return true;
    }
    return false;
  }

  /**
   * The earliest deadline on the host's clock, or {@link #NONE}. May be too early, never too late.
   */
  long nextDeadline() {
    return (long) NEXT.getVolatile(this);
  }

  /**
   * Removes all timers that are due. The caller registers their events, outside the lock.
   *
   * <p>Allocates nothing: no lack of memory can come between a timer's removal and its return.
   *
   * @return the first, which leads to the others, see {@link TimerEvent#unchain}; null: none is due
   */
  synchronized @Nullable TimerEvent expire(long now) {
    TimerEvent first = null;
    TimerEvent last = null;
    TimerEvent timer = heap.peek();
    while (timer != null && (timer.deadline() <= now || timer.isDone())) {
      heap.remove();
      if (timer.isDone()) {
        cancelled = Math.max(0, cancelled - 1);
      } else if (last == null) {
        first = timer;
        last = timer;
      } else {
        last.chain(timer);
        last = timer;
      }
      timer = heap.peek();
    }
    NEXT.setVolatile(this, timer == null ? NONE : timer.deadline());
    return first;
  }

  /** Takes note of a cancelled timer; sweeps when half of the heap is dead. */
  synchronized void cancelled() {
    if (++cancelled > 64 && cancelled > heap.size() / 2) {
      heap.removeIf(TimerEvent::isDone);
      cancelled = 0;
      TimerEvent timer = heap.peek();
      NEXT.setVolatile(this, timer == null ? NONE : timer.deadline());
    }
  }

  /** Number of timers that wait; may count some that were cancelled a moment ago. */
  synchronized int size() {
    return Math.max(0, heap.size() - cancelled);
  }

  /** Drops all timers, and those that will come. Returns how many were pending. */
  synchronized int close() {
    closed = true;
    int pending = 0;
    for (TimerEvent timer : heap) {
      if (timer.drop()) {
        pending++;
      }
    }
    heap.clear();
    NEXT.setVolatile(this, NONE);
    return pending;
  }
}
