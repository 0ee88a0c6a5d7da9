package dev.mely;

import dev.mely.flight.Flight;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * A color, and its color-queue: the mailbox of the color's pending events.
 *
 * <p>Events of one color run one after the other, in the order of registration, whoever registered
 * them; events of different colors may run in parallel. A color is a handle: made by {@link
 * Mely#newColor()} or looked up once by number ({@link Mely#color}), it is found again without any
 * table. An idle color takes 48 bytes.
 *
 * <p>Thread-safe. Source: libasync-smp, section 3; Mely, section IV-A.
 *
 * <h2>State</h2>
 *
 * <pre>
 *            post to an empty mailbox (TAIL was null)
 *     IDLE ------------------------------------------> QUEUED(core)
 *      ^                                                |      ^
 *      | release: mailbox empty                   claim |      | requeue: batch over,
 *      | (TAIL: itself to null)       compare-and-set   |      | events left
 *      |                                                v      |
 *      +------------------------------------------- RUNNING(core)
 * </pre>
 *
 * <p>(REJECTING takes the place of RUNNING when the runtime has been closed and somebody, on no
 * particular thread, rejects what is left.)
 *
 * <p>One {@code int} holds the state, the core and whether the color is pinned. QUEUED(c) means: an
 * entry for this color lies in the ready ring of core c. An entry is only a hint, and there may be
 * several (a worthy color lies in the stealing-queue too): whoever wants the color must win the
 * compare-and-set from QUEUED(c) to RUNNING(itself), and drops the entry if it fails. That single
 * step both takes the color and moves it, so there is no moment in which a color has left its
 * victim and has not arrived at the thief: the race in the paper's Figure 2 (victim unlocked, thief
 * not yet locked, a producer in between) has no place to happen.
 *
 * <h2>Mailbox</h2>
 *
 * <pre>
 *   TAIL = null            idle, nothing pending
 *   TAIL = the color       queued or running, no event in the shared part
 *   TAIL = e               e is the youngest event; FIRST leads to the oldest
 *
 *   FIRST -> e1 -> e2 -> .. -> TAIL      shared part: many producers, linked after the swap
 *   head  -> a1 -> .. -> last            private part: whoever is RUNNING the color; older than all
 *                                        of the shared part. Where head is alone, last is null
 * </pre>
 *
 * <p>A producer swaps TAIL, then links its predecessor to its event. In between, the list has a
 * hole; the consumer does not wait for it but requeues the color. Because an event is detached
 * before it runs, it may be registered again from its own handler.
 *
 * <p>Colors and events live long, and under G1 each store of a reference from one old object to
 * another costs a fence, and work for the collector's own threads. Hence as few as will do: a color
 * stands for itself in TAIL (null and a reference to the object itself are free), and a lone event
 * passes through TAIL and FIRST alone.
 */
@SuppressWarnings("UnusedVariable") // fields that are touched through their VarHandles alone
public sealed class Color permits BoundedColor {
  static final int IDLE = 0;
  static final int QUEUED = 1;
  static final int RUNNING = 2;
  static final int REJECTING = 3;

  private static final int STATE_MASK = 3;
  private static final int PINNED = 4;
  private static final int CORE_SHIFT = 3;
  private static final int FLAGS_MASK = STATE_MASK | PINNED;

  private static final int WEIGHT_BITS = 40;
  private static final int COUNT_BITS = Long.SIZE - WEIGHT_BITS;
  private static final long ONE_EVENT = 1L << WEIGHT_BITS;

  private static final VarHandle STATE;
  private static final VarHandle TAIL;
  private static final VarHandle FIRST;
  private static final VarHandle PENDING;
  private static final VarHandle NEXT;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      STATE = lookup.findVarHandle(Color.class, "state", int.class);
      TAIL = lookup.findVarHandle(Color.class, "tail", Object.class);
      FIRST = lookup.findVarHandle(Color.class, "first", Event.class);
      PENDING = lookup.findVarHandle(Color.class, "pending", long.class);
      NEXT = lookup.findVarHandle(Event.class, "next", Event.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** The runtime that the color belongs to. */
  final Scheduler scheduler;

  /** State, pinned flag and core. Release when set to QUEUED, compare-and-set to leave QUEUED. */
  private int state;

  /** Youngest event of the shared part, or this; see the class comment. Swapped by producers. */
  private @Nullable Object tail;

  /** Oldest event of the shared part: the link that a first producer writes, with release. */
  private @Nullable Event first;

  /** Private part, oldest and youngest. Plain: only the core that is RUNNING the color. */
  private @Nullable Event head;

  /** Null if {@link #head} is alone, or there is none. */
  private @Nullable Event last;

  /**
   * Weight of the event that activated the color, in the policy's unit (nanoseconds or events),
   * until it is taken. Written by the one producer that found TAIL null, before the color is
   * published, so that a lone event costs no atomic here. Of a stream of events it is the weight of
   * the oldest, and of what is likely to follow: see {@link Worker}.
   */
  private int firstWeight;

  /**
   * Number and weight of all other pending events, in one word so that one atomic add changes both:
   * the number above {@link #WEIGHT_BITS}, the weight below, which may be negative for a moment (an
   * event can be taken before its producer has added it). Many producers, one consumer. Wraps at 16
   * million events, or nine minutes of work, in one color: a hint that is wrong for once.
   */
  private long pending;

  Color(Scheduler scheduler, int core, boolean pinned) {
    this.scheduler = scheduler;
    this.state = (core << CORE_SHIFT) | (pinned ? PINNED : 0) | IDLE;
  }

  // ---- Any thread

  /**
   * Returns the core at which the color's events run now, or will run next. It changes when the
   * color is stolen.
   *
   * @return number of a core, from 0
   */
  public int core() {
    return (int) STATE.getOpaque(this) >>> CORE_SHIFT;
  }

  /**
   * Returns whether the color stays on its core for good.
   *
   * @return true if no thief may take it
   */
  public boolean isPinned() {
    return ((int) STATE.getOpaque(this) & PINNED) != 0;
  }

  /**
   * Returns whether the calling thread is inside an event of this color.
   *
   * @return true exactly between the start and the end of a handler, on the thread that runs it
   */
  public boolean isCurrent() {
    // Opaque is enough: only the thread that runs the color ever sets RUNNING(its own core), so
    // the answer "yes" is its own write, and any other value, stale or not, answers "no".
    int s = (int) STATE.getOpaque(this);
    return (s & STATE_MASK) == RUNNING && scheduler.isCurrent(s >>> CORE_SHIFT);
  }

  /**
   * Returns whether a thread is running this color now: exact for the calling thread, a snapshot
   * for any other.
   *
   * @param thread the thread in question
   * @return true if it is inside an event of this color
   */
  public boolean isRunBy(Thread thread) {
    int s = (int) STATE.getOpaque(this);
    return (s & STATE_MASK) == RUNNING && scheduler.core(s >>> CORE_SHIFT).thread() == thread;
  }

  /**
   * Moves an idle color to another core; its next event will wait there. Does nothing if the color
   * is pinned or has pending or running events.
   *
   * @param core number of the core, from 0
   * @return whether the color is at that core now
   * @throws IllegalArgumentException if there is no such core
   */
  public boolean moveTo(int core) {
    scheduler.core(core); // checks the range
    int s = (int) STATE.getOpaque(this);
    if (s >>> CORE_SHIFT == core) {
      return true;
    }
    // IDLE with a mailbox that is not idle yet: the color is about to be released, or to run on.
    if ((s & FLAGS_MASK) != IDLE || TAIL.getVolatile(this) != null) {
      return false;
    }
    boolean moved = exchangeIdle(s, core);
    if (moved && Flight.watchesMigrations()) {
      Flight.migrated(s >>> CORE_SHIFT, core, this);
    }
    return moved;
  }

  private boolean exchangeIdle(int s, int core) {
    // A producer that activates the color at this moment stores the core that it has read, and
    // queues the color there: one of the two wins, both are consistent.
    return STATE.compareAndSet(this, s, (core << CORE_SHIFT) | IDLE);
  }

  /**
   * Returns about how many events wait in the color's queue: exact while nothing happens to it,
   * else a recent number, which may still count events of the batch that runs. Where stealing is
   * off events are not counted; the answer is then 1 for a color that waits for its turn, else 0.
   *
   * @return 0 or more
   */
  public int pending() {
    int known = Math.max(0, pendingCount()) + (firstWeight != 0 ? 1 : 0);
    return known == 0 && ((int) STATE.getOpaque(this) & STATE_MASK) == QUEUED ? 1 : known;
  }

  @Override
  public String toString() {
    int s = (int) STATE.getOpaque(this);
    String name =
        switch (s & STATE_MASK) {
          case IDLE -> "idle";
          case QUEUED -> "queued";
          case RUNNING -> "running";
          default -> "rejecting";
        };
    return "Color@"
        + Integer.toHexString(System.identityHashCode(this))
        + "["
        + name
        + ((s & PINNED) != 0 ? ", pinned" : "")
        + ", core "
        + (s >>> CORE_SHIFT)
        + "]";
  }

  // ---- Producers: swap, link, and, if swap returned null, activate

  /** Makes the event the youngest. Null: the color was idle and the caller must activate it. */
  @Nullable Object swap(Event event) {
    return TAIL.getAndSet(this, event);
  }

  /** Links an event behind what {@link #swap} returned. Release: publishes the event's fields. */
  void link(@Nullable Object previous, Event event) {
    if (previous == null || previous == this) {
      FIRST.setRelease(this, event);
    } else {
      NEXT.setRelease((Event) previous, event);
    }
  }

  /** The activating producer, or whoever runs the color, before {@link #queue}. */
  void setFirstWeight(long weight) {
    firstWeight = (int) Math.max(1, Math.min(weight, Integer.MAX_VALUE)); // never 0: see clearFirst
  }

  /**
   * Adds to the number and the weight of the pending events. Any producer, for one event; the
   * consumer, once a batch.
   *
   * @return the weight of all pending events before
   */
  long addPending(int events, long weight) {
    long old = (long) PENDING.getAndAdd(this, events * ONE_EVENT + weight);
    return firstWeight + weightOf(old);
  }

  /** Weight of all pending events: exact when nobody else is at work, else a moment's view. */
  long weight() {
    return firstWeight + weightOf((long) PENDING.getOpaque(this));
  }

  /** Number of pending events, without the one that activated the color. A moment's view. */
  int pendingCount() {
    return countOf((long) PENDING.getOpaque(this));
  }

  private static long weightOf(long pending) {
    return pending << COUNT_BITS >> COUNT_BITS;
  }

  private static int countOf(long pending) {
    return (int) ((pending - weightOf(pending)) >> WEIGHT_BITS);
  }

  /**
   * To QUEUED(core), before the color is put into that core's ready ring. The activating producer,
   * or the core that runs the color. Release: whoever claims the color sees the mailbox and the
   * private part, even through a stale entry that was put into a ring earlier.
   */
  void queue(int core) {
    STATE.setRelease(this, (core << CORE_SHIFT) | (state & PINNED) | QUEUED);
  }

  // ---- Whoever holds an entry

  /** Whether the color waits at that core; an entry found there is stale otherwise. */
  boolean isQueuedAt(int core) {
    return ((int) STATE.getOpaque(this) & ~PINNED) == ((core << CORE_SHIFT) | QUEUED);
  }

  /** From QUEUED(from) to RUNNING(to). True: the caller's core runs the color now. */
  boolean claim(int from, int to) {
    int s = (int) STATE.getOpaque(this);
    return (s & ~PINNED) == ((from << CORE_SHIFT) | QUEUED)
        && STATE.compareAndSet(this, s, (to << CORE_SHIFT) | (s & PINNED) | RUNNING);
  }

  /**
   * From QUEUED to REJECTING, after the runtime was closed: on whichever thread finds the color.
   */
  boolean claimToReject() {
    int s = (int) STATE.getOpaque(this);
    return (s & STATE_MASK) == QUEUED
        && STATE.compareAndSet(this, s, (s & ~STATE_MASK) | REJECTING);
  }

  // ---- Only whoever has claimed the color: the core that is RUNNING it

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
   * Appends an event that the color's own handler registers, without any atomic, if no other
   * producer's event would be overtaken.
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
    youngest.next = event; // its producer slot is free: whoever saw it in TAIL has linked it
    last = event;
    return true;
  }

  /**
   * An event is being taken: forget the weight of the one that activated the color.
   *
   * @return that weight if it was that one; 0: it is another, counted in {@link #pending}
   */
  int clearFirst() {
    int weight = firstWeight;
    if (weight != 0) {
      firstWeight = 0;
    }
    return weight;
  }

  /** No event is pending: drop what is left of weights that changed while events waited. */
  void settleWeight() {
    long left = (long) PENDING.getOpaque(this);
    if (left != 0 && countOf(left) == 0) {
      PENDING.getAndAdd(this, -left); // exactly what was seen: a producer may add at this moment
    }
  }

  /** Whose event is next. For others than the owner, a hint. */
  @Nullable Handler<?> nextHandler() {
    Event event = head;
    if (event == null) {
      event = (Event) FIRST.getAcquire(this);
    }
    return event == null ? null : event.handler();
  }

  /** Whether {@link #take} would return an event. For others than the owner, a hint. */
  boolean canTake() {
    Event event = head;
    return event == null
        ? FIRST.getVolatile(this) != null
        : last == null || NEXT.getVolatile(event) != null;
  }

  /**
   * To IDLE, if nothing is pending.
   *
   * @return false if an event has come: the color is still RUNNING and must be requeued
   */
  boolean release(int core) {
    int held = state;
    // Plain: published by the compare-and-set, which the next activating producer's swap sees.
    state = (core << CORE_SHIFT) | (held & PINNED) | IDLE;
    if (TAIL.compareAndSet(this, this, null)) {
      return true;
    }
    state = held;
    return false;
  }
}
