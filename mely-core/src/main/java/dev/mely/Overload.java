package dev.mely;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Bounds on what may be pending, per color and in all: who is let in, who waits, what is dropped.
 * Nothing is silent: an event that is not let in is refused with an error, one that is dropped is
 * {@linkplain Handler#rejected rejected}, and all are counted.
 *
 * <p>An event takes its room before it is linked to its color, and gives it back when it is taken
 * out. Events of timers need none: there is at most one a timer. An event over several colors takes
 * room in each of them, and once in all. Handlers that are {@linkplain Handler#isDroppable
 * droppable} may fill twice the room; when their color has its turn, the oldest events go until the
 * rest fits.
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
    this.maxInAll = settings.maxPending;
    this.maxPerColor = settings.maxPendingPerColor;
    this.blocks = settings.blocksProducers;
  }

  /** Null if the settings know no bound. */
  static @Nullable Overload of(Scheduler scheduler, Settings settings) {
    boolean bounded = settings.maxPending > 0 || settings.maxPendingPerColor > 0;
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
      reason = await(() -> tryAdmit(color, droppable), new Color[] {color});
      if (reason.isEmpty()) {
        return;
      }
    }
    event.detach();
    refused.increment();
    throw new RejectedExecutionException(reason.isEmpty() ? describe(new Color[] {color}) : reason);
  }

  /**
   * Takes room for an event over several colors, everywhere or nowhere, so that nobody waits for
   * room while it keeps some: in each of them, and once in all.
   *
   * @throws RejectedExecutionException if there is none
   */
  void admit(Color[] colors) {
    if (tryAdmit(colors)) {
      return;
    }
    if (waiting > 0) {
      wakeAll(); // what was taken for a moment may have been just what somebody else waits for
    }
    String reason = "";
    if (blocks && scheduler.currentCore() == null) {
      reason = await(() -> tryAdmit(colors), colors);
      if (reason.isEmpty()) {
        return;
      }
    }
    refused.increment();
    throw new RejectedExecutionException(reason.isEmpty() ? describe(colors) : reason);
  }

  /**
   * Gives back what it has taken if that is not enough, and tells nobody: of two that wait, each
   * would wake the other for ever. Those try one at a time.
   */
  private boolean tryAdmit(Color[] colors) {
    for (int i = 0; i < colors.length; i++) {
      if (!tryAdd(colors[i], 1)) {
        giveBack(colors, i);
        return false;
      }
    }
    if (tryAddInAll(1)) {
      return true;
    }
    giveBack(colors, colors.length);
    return false;
  }

  private void giveBack(Color[] colors, int n) {
    for (int i = 0; i < n; i++) {
      if (maxPerColor > 0) {
        bounded(colors[i]).remove();
      }
    }
  }

  private boolean tryAdmit(Color color, boolean droppable) {
    int factor = droppable ? 2 : 1;
    if (!tryAdd(color, factor)) {
      return false;
    }
    if (tryAddInAll(factor)) {
      return true;
    }
    if (maxPerColor > 0) {
      bounded(color).remove();
    }
    return false;
  }

  private boolean tryAdd(Color color, int factor) {
    return maxPerColor == 0 || bounded(color).tryAdd((long) maxPerColor * factor);
  }

  private boolean tryAddInAll(int factor) {
    while (maxInAll > 0) {
      long now = pending.get();
      if (now >= maxInAll * factor) {
        return false;
      }
      if (pending.compareAndSet(now, now + 1)) {
        return true;
      }
    }
    return true;
  }

  /** Waits for room. Empty: found; else the reason why not. */
  private synchronized String await(BooleanSupplier admitted, Color... colors) {
    blocked.increment();
    waiting++;
    try {
      while (!admitted.getAsBoolean()) {
        if (scheduler.phase() != Scheduler.OPEN) {
          return Scheduler.SHUT_DOWN;
        }
        wait();
      }
      return "";
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "interrupted while waiting for room: " + describe(colors);
    } finally {
      waiting--;
    }
  }

  private String describe(Color... colors) {
    // Somebody may have made room since: name a bound that there is.
    for (Color color : colors) {
      if (maxPerColor > 0 && (maxInAll == 0 || bounded(color).load() >= maxPerColor)) {
        return color + " has " + maxPerColor + " pending events, as many as it may have";
      }
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
    if (event instanceof SpecialEvent) {
      left(color, event);
      return false;
    }
    boolean drop = handler.isDroppable() && isOver(color);
    left(color, event);
    Object payload = drop ? event.payload() : null;
    if (payload == null) {
      return false;
    }
    scheduler.rejection.tell(handler, payload);
    dropped.increment(); // last: it may need memory
    return true;
  }

  private boolean isOver(Color color) {
    return (maxPerColor > 0 && bounded(color).load() > maxPerColor)
        || (maxInAll > 0 && pending.get() > maxInAll);
  }

  /** An event has left its color: its room is free. */
  void left(Color color, Event event) {
    boolean any = !(event instanceof SpecialEvent);
    if (maxPerColor > 0 && (any || ((SpecialEvent) event).takesRoom())) {
      bounded(color).remove();
    }
    if (maxInAll > 0 && (any || ((SpecialEvent) event).takesRoomInAll())) {
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
