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
final class TimerEvent extends SpecialEvent implements Timer, Comparable<TimerEvent> {
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

  /** On the host's clock. Only changed while the timer is in no heap. */
  private long deadline;

  /** Among equal deadlines. */
  private long order;

  /** Where it waits. Written before the timer is put there. */
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

  Color color() {
    return color;
  }

  void waitsIn(TimerQueue newQueue, long newOrder) {
    queue = newQueue;
    order = newOrder;
  }

  long deadline() {
    return deadline;
  }

  /**
   * Links the next timer that is due. Both are in no heap and in no mailbox, so the link is free.
   */
  void chain(TimerEvent later) {
    next = later;
  }

  /** The timer that is due after this one, or null; this one stands alone again. */
  @Nullable TimerEvent unchain() {
    TimerEvent later = (TimerEvent) next;
    next = null;
    return later;
  }

  /** Due: true if the caller must register it. */
  boolean fire() {
    return STATE.compareAndSet(this, WAITING, REGISTERED);
  }

  /** What the handler is given; null if it was cancelled while it waited for its color. */
  @Override
  @Nullable Object payload() {
    return STATE.compareAndSet(this, REGISTERED, RUNNING) ? event : null;
  }

  /** After the handler: true if the timer is periodic and must be added again. */
  boolean rearm(long now) {
    if (period == 0) {
      STATE.setVolatile(this, DONE);
      return false;
    }
    deadline = period > 0 ? deadline + period : now - period;
    return STATE.compareAndSet(this, RUNNING, WAITING);
  }

  @Override
  public boolean cancel() {
    StackReserve.check(); // it may sweep a heap that holds the timers of others
    while (true) {
      int s = (int) STATE.getVolatile(this);
      if (s == DONE || (s == RUNNING && period == 0)) {
        return false;
      }
      if (STATE.compareAndSet(this, s, DONE)) {
        if (s == WAITING) {
          TimerQueue q = queue;
          if (q != null) {
            q.cancelled();
          }
        }
        return true;
      }
    }
  }

  /** Shutdown: true if it was still pending. */
  boolean drop() {
    return (int) STATE.getAndSet(this, DONE) == WAITING;
  }

  @Override
  public boolean isDone() {
    return (int) STATE.getVolatile(this) == DONE;
  }

  /** By deadline; equal ones in the order in which they were added. */
  @Override
  public int compareTo(TimerEvent other) {
    int byDeadline = Long.compare(deadline, other.deadline);
    return byDeadline != 0 ? byDeadline : Long.compare(order, other.order);
  }
}
