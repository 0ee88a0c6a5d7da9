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

  /** Cancelled timers of the heap: those that have left already. Guarded by this. */
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
    timer.comesAs(added++);
    heap.add(timer);
    timer.waitsIn(this); // not before: if memory runs out, it does not
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
      boolean noted = !timer.leave();
      if (noted) {
        cancelled--;
      } else if (!timer.isDone()) { // a cancel that has yet to come here finds that it has left
        if (last == null) {
          first = timer;
        } else {
          last.chain(timer);
        }
        last = timer;
      }
      timer = heap.peek();
    }
    NEXT.setVolatile(this, timer == null ? NONE : timer.deadline());
    return first;
  }

  private static boolean sweep(TimerEvent timer) {
    boolean done = timer.isDone();
    if (done) {
      timer.leave();
    }
    return done;
  }

  /** Takes note of a cancelled timer, if it is still here; sweeps when half of the heap is dead. */
  synchronized void cancelled(TimerEvent gone) {
    if (gone.leave() && ++cancelled > 64 && cancelled > heap.size() / 2) {
      heap.removeIf(TimerQueue::sweep);
      cancelled = 0;
      TimerEvent timer = heap.peek();
      NEXT.setVolatile(this, timer == null ? NONE : timer.deadline());
    }
  }

  /** Number of timers that wait; counts one whose cancel has not come here yet. */
  synchronized int size() {
    return heap.size() - cancelled;
  }

  /** Drops all timers, and those that will come. Returns how many were pending. */
  synchronized int close() {
    closed = true;
    int pending = 0;
    for (TimerEvent timer : heap) {
      timer.leave();
      if (timer.drop()) {
        pending++;
      }
    }
    heap.clear();
    cancelled = 0;
    NEXT.setVolatile(this, NONE);
    return pending;
  }
}
