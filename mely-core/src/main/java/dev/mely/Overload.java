package dev.mely;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Bounds on what may be pending, per color and in all: who is let in, who waits, what is dropped.
 * Nothing is silent: an event that is not let in is refused with an error, one that is dropped is
 * {@linkplain Handler#rejected rejected}, and all are counted.
 *
 * <p>An event takes its room before it is linked to its color, and gives it back when it is taken
 * out. Events of timers need none: there is at most one a timer. Handlers that are {@linkplain
 * Handler#isDroppable droppable} may fill twice the room; when their color has its turn, the oldest
 * events go until the rest fits.
 *
 * <p>Any thread. A waiting producer counts itself, then looks for room; whoever makes room looks
 * for producers afterwards. All four are sequentially consistent, so one sees the other.
 */
final class Overload {
  private final Scheduler scheduler;
  private final long maxInAll;
  private final int maxPerColor;
  private final boolean blocks;

  private final AtomicLong pending = new AtomicLong();
  private final LongAdder refused = new LongAdder();
  private final LongAdder dropped = new LongAdder();
  private final LongAdder blocked = new LongAdder();

  /** Producers that wait for room. Written under the lock of this. */
  private volatile int waiting;

  private Overload(Scheduler scheduler, Settings settings) {
    this.scheduler = scheduler;
    this.maxInAll = settings.maxPending();
    this.maxPerColor = settings.maxPendingPerColor();
    this.blocks = settings.overflow() == Mely.Overflow.BLOCK;
  }

  /** Null if the settings know no bound. */
  static @Nullable Overload of(Scheduler scheduler, Settings settings) {
    boolean bounded = settings.maxPending() > 0 || settings.maxPendingPerColor() > 0;
    return bounded ? new Overload(scheduler, settings) : null;
  }

  /** Whether colors must count their events. */
  boolean boundsColors() {
    return maxPerColor > 0;
  }

  // ---- Producers

  /**
   * Takes room for an event.
   *
   * @throws RejectedExecutionException if there is none; the event is not pending any more
   */
  void admit(Color color, Event event) {
    Handler<?> handler = event.handler();
    boolean droppable = handler != null && handler.isDroppable();
    if (tryAdmit(color, droppable)) {
      return;
    }
    String reason = "";
    if (blocks && scheduler.currentCore() == null) {
      reason = await(color, droppable);
      if (reason.isEmpty()) {
        return;
      }
    }
    event.detach();
    refused.increment();
    throw new RejectedExecutionException(reason.isEmpty() ? describe(color) : reason);
  }

  private boolean tryAdmit(Color color, boolean droppable) {
    int factor = droppable ? 2 : 1;
    if (maxPerColor > 0 && !bounded(color).tryAdd((long) maxPerColor * factor)) {
      return false;
    }
    if (maxInAll == 0) {
      return true;
    }
    while (true) {
      long now = pending.get();
      if (now >= maxInAll * factor) {
        if (maxPerColor > 0) {
          bounded(color).remove();
        }
        return false;
      }
      if (pending.compareAndSet(now, now + 1)) {
        return true;
      }
    }
  }

  /** Waits for room. Empty: found; else the reason why not. */
  private synchronized String await(Color color, boolean droppable) {
    blocked.increment();
    waiting++;
    try {
      while (!tryAdmit(color, droppable)) {
        if (scheduler.phase() != Scheduler.OPEN) {
          return Scheduler.SHUT_DOWN;
        }
        wait();
      }
      return "";
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "interrupted while waiting for room: " + describe(color);
    } finally {
      waiting--;
    }
  }

  private String describe(Color color) {
    // Somebody may have made room since: name a bound that there is.
    if (maxPerColor > 0 && (maxInAll == 0 || bounded(color).load() >= maxPerColor)) {
      return color + " has " + maxPerColor + " pending events, as many as it may have";
    }
    return "the runtime has " + maxInAll + " pending events, as many as it may have";
  }

  // ---- Whoever holds the color

  /**
   * An event has been taken to be run.
   *
   * @return true if it has been dropped instead
   */
  boolean taken(Color color, Event event, Handler<Object> handler) {
    if (event instanceof TimerEvent) {
      return false;
    }
    boolean drop = handler.isDroppable() && isOver(color);
    left(color, event);
    Object payload = drop ? event.payload() : null;
    if (payload == null) {
      return false;
    }
    dropped.increment();
    scheduler.rejection.tell(handler, payload);
    return true;
  }

  private boolean isOver(Color color) {
    return (maxPerColor > 0 && bounded(color).load() > maxPerColor)
        || (maxInAll > 0 && pending.get() > maxInAll);
  }

  /** An event has left its color: its room is free. */
  void left(Color color, Event event) {
    if (event instanceof TimerEvent) {
      return;
    }
    if (maxPerColor > 0) {
      bounded(color).remove();
    }
    if (maxInAll > 0) {
      pending.decrementAndGet();
    }
    if (waiting > 0) {
      wakeAll();
    }
  }

  /** Producers that wait must look again: there is room, or the end has come. */
  synchronized void wakeAll() {
    notifyAll();
  }

  private static BoundedColor bounded(Color color) {
    return (BoundedColor) color;
  }

  // ---- Statistics

  long refused() {
    return refused.sum();
  }

  long dropped() {
    return dropped.sum();
  }

  long blocked() {
    return blocked.sum();
  }
}
