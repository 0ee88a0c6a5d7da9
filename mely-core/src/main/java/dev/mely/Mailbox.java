package dev.mely;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The color-queue: what is pending in one color, a lock-free queue from many producers to the one
 * core at a time that is RUNNING it.
 *
 * <pre>
 *   TAIL = null            idle, nothing pending
 *   TAIL = the color       queued or running, no event in the shared part
 *   TAIL = e               e is the youngest event; FIRST leads to the oldest
 *
 *   FIRST -> e1 -> e2 -> .. -> TAIL      shared part: many producers, linked after the swap
 *   head  -> a1 -> .. -> last            private part: the core that is RUNNING the color; older
 *                                        than the shared part. Where head is alone, last is null
 * </pre>
 *
 * <p>A producer swaps TAIL, then links its predecessor to its event. In between, the list has a
 * hole; the consumer does not wait for it but requeues the color. Because an event is detached
 * before it runs, it may be registered again from its own handler.
 *
 * <p>Colors and events live long, and under G1 each store of a reference from one old object to
 * another costs a fence, and work for the collector's own threads. Hence as few stores as possible:
 * a color stands for itself in TAIL (null and a reference to the object itself are free), and a
 * lone event passes through TAIL and FIRST alone.
 *
 * <p>Part of its {@link Color}, for the sake of memory and of the reference to itself. Source:
 * Mely, section IV-A (color-queues).
 */
@SuppressWarnings("UnusedVariable") // fields that are touched through their VarHandles alone
abstract sealed class Mailbox permits Color {
  static final VarHandle TAIL;
  static final VarHandle NEXT;
  private static final VarHandle FIRST;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      TAIL = lookup.findVarHandle(Mailbox.class, "tail", Object.class);
      FIRST = lookup.findVarHandle(Mailbox.class, "first", Event.class);
      NEXT = lookup.findVarHandle(Event.class, "next", Event.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** Youngest event of the shared part, or this; see the class comment. Swapped by producers. */
  @Nullable Object tail;

  /** Oldest event of the shared part: the link that a first producer writes, with release. */
  @Nullable Event first;

  /** Private part, oldest and youngest. Plain: only the core that is RUNNING the color. */
  @Nullable Event head;

  /** Null if {@link #head} is alone, or there is none. */
  @Nullable Event last;

  // ---- Producers: swap, then link

  /**
   * Puts an event into an idle color, which is the caller's from then on: it must activate the
   * color. No other thread touches the private part before that, so the event goes there, and
   * taking it needs no atomic operation.
   *
   * @return false if the color is not idle: the caller must go through {@link #swap}
   */
  boolean enterIdle(Event event) {
    if (TAIL.getOpaque(this) != null || !TAIL.compareAndSet(this, null, this)) {
      return false;
    }
    head = event;
    return true;
  }

  /** Makes the event the youngest. Null: the color was idle and the caller must activate it. */
  @Nullable Object swap(Event event) {
    return TAIL.getAndSet(this, event);
  }

  /** Begins with one event. The color is not published yet. */
  void begin(Event event) {
    head = event;
    tail = this;
  }

  /** Links an event behind what {@link #swap} returned. Release: publishes the event's fields. */
  void link(@Nullable Object previous, Event event) {
    if (previous == null || previous == this) {
      FIRST.setRelease(this, event);
    } else {
      NEXT.setRelease((Event) previous, event);
    }
  }

  // ---- Only the thread that has claimed the color

  /**
   * Takes and detaches the oldest event.
   *
   * @return null if there is none, or if a producer has swapped but not yet linked it
   */
  @Nullable Event take() {
    Event event = head;
    if (event == null) {
      event = (Event) FIRST.getAcquire(this);
      if (event == null) {
        return null;
      }
      // Plain store, before the swap: only producers that see the color in TAIL write FIRST, and
      // they do so after the swap.
      first = null;
      Event youngest = (Event) TAIL.getAndSet(this, this);
      if (youngest == event) {
        return event;
      }
      head = event;
      last = youngest;
    }
    if (last == null) {
      head = null;
      return event;
    }
    Event next = (Event) NEXT.getAcquire(event);
    if (next == null) {
      return null; // a hole: the next producer would still write to this event's link
    }
    head = next;
    if (next == last) {
      last = null;
    }
    event.next = null;
    return event;
  }

  /** Whether an event waits, linked or not. */
  boolean hasPending() {
    return head != null || TAIL.getAcquire(this) != this;
  }

  /**
   * Appends an event that the color's own handler registers, without an atomic operation, unless it
   * would overtake another producer's event.
   *
   * @return false if the shared part is not empty: the caller must go through {@link #swap}
   */
  boolean append(Event event) {
    // A registration that happens-before this one has already swapped TAIL away from the color and
    // is seen here; one that is concurrent may be ordered either way.
    if (TAIL.getAcquire(this) != this) {
      return false;
    }
    Event oldest = head;
    if (oldest == null) {
      head = event;
      return true;
    }
    Event youngest = last == null ? oldest : last;
    youngest.next = event; // its link is free: the producer that saw it in TAIL has linked already
    last = event;
    return true;
  }

  /** The oldest event, linked to the next one or not. For others than the owner, a hint. */
  @Nullable Event peek() {
    Event event = head;
    return event != null ? event : (Event) FIRST.getAcquire(this);
  }

  /** The handler of the next event. For others than the owner, a hint. */
  @Nullable Handler<?> nextHandler() {
    Event event = peek();
    return event == null ? null : event.handler();
  }

  /** Whether {@link #take} would return an event. For others than the owner, a hint. */
  boolean canTake() {
    Event event = head;
    return event == null
        ? FIRST.getVolatile(this) != null
        : last == null || NEXT.getVolatile(event) != null;
  }
}
