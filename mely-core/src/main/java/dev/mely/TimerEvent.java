package dev.mely;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * A timer, and the event that it registers when it is due.
 *
 * <pre>
 *   WAITING --due--> REGISTERED --taken--> RUNNING --one-shot--> DONE
 *      |  ^              |                    |
 *      |  |              |                    +--periodic--+
 *      |  +--------------|---------------------------------+
 *      +----cancel-------+-----------> DONE   (RUNNING + cancel: DONE after the handler)
 * </pre>
 *
 * <p>A periodic timer is armed again only after its handler has run, so it has at most one event
 * pending, however late its color is.
 */
class TimerEvent extends SpecialEvent implements Comparable<TimerEvent> {
  private static final int WAITING = 0;
  private static final int REGISTERED = 1;
  private static final int RUNNING = 2;
  private static final int DONE = 3;

  private static final VarHandle STATE;

  static {
    try {
      STATE = MethodHandles.lookup().findVarHandle(TimerEvent.class, "state", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final Color color;
  private final Object event;

  /** Nanoseconds; 0: one-shot, positive: from due time to due time, negative: from end to start. */
  private final long period;

  /** On the host's clock, in nanoseconds. Only changed while the timer is in no heap. */
  private long deadline;

  /** The order among equal deadlines. */
  private long order;

  /** The queue in which it waits; null: it has left. Guarded by the queue, which looks again. */
  private @Nullable TimerQueue queue;

  @SuppressWarnings("UnusedVariable") // through its VarHandle
  private int state;

  TimerEvent(Color color, Handler<?> handler, Object event, long deadline, long period) {
    super(handler);
    this.color = color;
    this.event = event;
    this.deadline = deadline;
    this.period = period;
  }

  @Override
  boolean takesRoom() {
    return false; // there is at most one event a timer
  }

  @Override
  boolean takesRoomInAll() {
    return false;
  }

  final Color color() {
    return color;
  }

  /** The place that it has among equal deadlines. */
  final void comesAs(long newOrder) {
    order = newOrder;
  }

  /** Waits in a queue from now on. Under its lock. */
  final void waitsIn(TimerQueue newQueue) {
    queue = newQueue;
  }

  /** Counts no more where it waits. Returns false if that is so already. Under the queue's lock. */
  final boolean leave() {
    boolean waited = queue != null;
    queue = null;
    return waited;
  }

  final long deadline() {
    return deadline;
  }

  /** Links the next timer that is due. Both are in no heap and no mailbox: the field is free. */
  final void chain(TimerEvent later) {
    next = later;
  }

  /** Removes and returns the link to the next timer that is due; null: there is none. */
  final @Nullable TimerEvent unchain() {
    TimerEvent later = (TimerEvent) next;
    next = null;
    return later;
  }

  /** The timer is due. Returns true if the caller must register its event. */
  final boolean fire() {
    return STATE.compareAndSet(this, WAITING, REGISTERED);
  }

  /**
   * Due, and fired: whether the timer has registered its event by itself. If not, the caller
   * registers the timer as an event of its color.
   */
  boolean enters() {
    return false;
  }

  /** What the handler is given; null if it was cancelled while it waited for its color. */
  @Override
  @Nullable Object payload() {
    return STATE.compareAndSet(this, REGISTERED, RUNNING) ? event : null;
  }

  /** After the handler. Returns true if the timer is periodic and must be added again. */
  final boolean rearm(long now) {
    if (period == 0) {
      STATE.setVolatile(this, DONE);
      return false;
    }
    deadline = period > 0 ? deadline + period : now - period;
    return STATE.compareAndSet(this, RUNNING, WAITING);
  }

  /** As {@link Mely.Timer#cancel}. Any thread. */
  final boolean cancel() {
    StackReserve.check(); // it may sweep a heap that holds the timers of others
    while (true) {
      int s = (int) STATE.getVolatile(this);
      if (s == DONE || (s == RUNNING && period == 0)) {
        return false;
      }
      if (STATE.compareAndSet(this, s, DONE)) {
        TimerQueue q = queue;
        if (q != null) {
          q.cancelled(this);
        }
        return true;
      }
    }
  }

  /** Ends the timer. Returns true if it was still waiting. */
  final boolean drop() {
    return (int) STATE.getAndSet(this, DONE) == WAITING;
  }

  /** As {@link Mely.Timer#isDone}. Any thread. */
  final boolean isDone() {
    return (int) STATE.getVolatile(this) == DONE;
  }

  /** By deadline; equal ones in the order in which they were added. */
  @Override
  public int compareTo(TimerEvent other) {
    int byDeadline = Long.compare(deadline, other.deadline);
    return byDeadline != 0 ? byDeadline : Long.compare(order, other.order);
  }
}
