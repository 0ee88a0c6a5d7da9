package dev.mely;

import dev.mely.flight.Flight;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;

/**
 * A color, and its color-queue: the mailbox of the color's pending events.
 *
 * <p>Events of one color run one after the other, in the order of registration, from any thread;
 * events of different colors may run in parallel. A color is a handle: made by {@link
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
 * <p>HELD, SHARED and ADMITTING stand beside RUNNING: the color is held by events that ask for more
 * than one color, or that read it; see {@link HandOver}. PAUSED stands beside QUEUED; see {@link
 * Pauses}.
 *
 * <p>(REJECTING takes the place of RUNNING when the runtime has been closed and a thread, not
 * always a worker, rejects what is left.)
 *
 * <p>One {@code int} holds the state, the core and whether the color is pinned. QUEUED(c) means: an
 * entry for this color lies in the core-queue of core c. An entry is only a hint, and there may be
 * several (a worthy color lies in the stealing-queue too): a core that finds one must win the
 * compare-and-set from QUEUED(c) to RUNNING(itself), and drops the entry if it fails. That single
 * step both takes the color and moves it, so there is no moment in which a color has left its
 * victim and has not arrived at the thief: the race in the paper's Figure 2 (victim unlocked, thief
 * not yet locked, a producer in between) has no place to happen.
 */
@SuppressWarnings("UnusedVariable") // fields that are touched through their VarHandles alone
public sealed class Color extends Mailbox permits BoundedColor {
  static final int IDLE = 0;
  static final int QUEUED = 1;
  static final int RUNNING = 2;
  static final int REJECTING = 3;
  static final int HELD = 4;
  static final int SHARED = 5;
  static final int ADMITTING = 6;
  static final int PAUSED = 7;

  private static final int STATE_MASK = 7;
  private static final int PINNED = 8;

  /** Events that read the color and hold it: 16 bits, 0 unless SHARED or ADMITTING. */
  private static final int ONE_READER = 16;

  private static final int MAX_READERS = 0xFFFF;
  private static final int READERS_MASK = MAX_READERS * ONE_READER;

  /** Twelve bits: there are at most 4096 cores. */
  private static final int CORE_SHIFT = 20;

  private static final int FLAGS_MASK = STATE_MASK | PINNED;

  private static final int WEIGHT_BITS = 38;
  private static final int COUNT_BITS = Long.SIZE - WEIGHT_BITS;
  private static final long ONE_EVENT = 1L << WEIGHT_BITS;

  /** How far the number may fall below zero for a moment; the rest of its range lies above zero. */
  private static final int MAX_OVERDRAWN = 1 << 20;

  private static final int COUNT_MASK = (1 << COUNT_BITS) - 1;

  private static final VarHandle STATE;
  private static final VarHandle PENDING;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      STATE = lookup.findVarHandle(Color.class, "state", int.class);
      PENDING = lookup.findVarHandle(Color.class, "pending", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** The runtime that the color belongs to. */
  final Host host;

  /** State, pinned flag and core. Release when set to QUEUED, compare-and-set to leave QUEUED. */
  private int state;

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
   * event can be taken before its producer has added it). Many producers, one consumer. The number
   * wraps at 66 million events, more than two gigabytes; the weight at 137 seconds of work, where a
   * thief has long seen all that it needs: a hint that is wrong for once. What is added is taken
   * away again, so that both come out even however often they have wrapped.
   */
  private long pending;

  Color(Host host, int core, boolean pinned) {
    this.host = host;
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
    return isRunHere() || (isHeld((int) STATE.getOpaque(this)) && HeldColors.includes(this));
  }

  /** Whether the calling thread is the core that runs the color. */
  boolean isRunHere() {
    // Opaque is enough: only the thread that runs the color ever sets RUNNING(its own core), so
    // the answer "yes" is its own write, and any other value, stale or not, answers "no".
    int s = (int) STATE.getOpaque(this);
    return (s & STATE_MASK) == RUNNING && host.isCurrent(s >>> CORE_SHIFT);
  }

  /**
   * Returns whether a thread is running this color now, and has it for itself: exact for the
   * calling thread, a snapshot for any other.
   *
   * @param thread the thread in question
   * @return true if it is inside an event of this color; false if that only reads it
   */
  public boolean isRunBy(Thread thread) {
    int s = (int) STATE.getOpaque(this);
    Objects.requireNonNull(thread, "thread");
    return (s & STATE_MASK) == RUNNING
        ? host.thread(s >>> CORE_SHIFT) == thread
        : isHeld(s) && thread == Thread.currentThread() && HeldColors.writes(this);
  }

  /** Whether the color waits for events that hold it, wherever those are. */
  private static boolean isHeld(int s) {
    return (s & STATE_MASK) >= HELD;
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
    host.check(core);
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
   * else a recent number, which may still count events of the batch that runs; up to 66 million.
   * Where stealing is off events are not counted; the answer is then 1 for a color that waits for
   * its turn, else 0.
   *
   * @return 0 or more
   */
  public int pending() {
    int known = Math.max(0, pendingCount()) + (firstWeight != 0 ? 1 : 0);
    int s = (int) STATE.getOpaque(this) & STATE_MASK;
    return known == 0 && (s == QUEUED || s == PAUSED) ? 1 : known;
  }

  @Override
  public String toString() {
    int s = (int) STATE.getOpaque(this);
    String name =
        switch (s & STATE_MASK) {
          case IDLE -> "idle";
          case QUEUED -> "queued";
          case RUNNING -> "running";
          case REJECTING -> "rejecting";
          case HELD -> "held";
          case PAUSED -> "paused";
          default -> "shared by " + readers(s);
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

  // ---- Producers: swap, link (see Mailbox), and, if swap returned null, activate

  /** By the activating producer, or the core that runs the color, before {@link #queue}. */
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

  /** Weight of all pending events: exact while no other thread changes it, else a snapshot. */
  long weight() {
    return firstWeight + weightOf((long) PENDING.getOpaque(this));
  }

  /** Number of pending events, without the one that activated the color. A snapshot. */
  int pendingCount() {
    return countOf((long) PENDING.getOpaque(this));
  }

  private static long weightOf(long pending) {
    return pending << COUNT_BITS >> COUNT_BITS;
  }

  private static int countOf(long pending) {
    int count = (int) ((pending - weightOf(pending)) >>> WEIGHT_BITS);
    return ((count + MAX_OVERDRAWN) & COUNT_MASK) - MAX_OVERDRAWN;
  }

  /**
   * To QUEUED(core), before the color is put into that core-queue. By the activating producer, or
   * the core that runs the color. Release: a core that claims the color sees the mailbox and the
   * private part, even if a stale entry has led it here.
   */
  void queue(int core) {
    STATE.setRelease(this, (core << CORE_SHIFT) | (state & PINNED) | QUEUED);
  }

  // ---- A thread that has found an entry

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

  /** From QUEUED to REJECTING, after the runtime was closed: on the thread that finds the color. */
  boolean claimToReject() {
    int s = (int) STATE.getOpaque(this);
    return (s & STATE_MASK) == QUEUED
        && STATE.compareAndSet(this, s, (s & ~STATE_MASK) | REJECTING);
  }

  // ---- Only the core that has claimed the color, and is RUNNING it

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

  /**
   * To IDLE, if nothing is pending. The private part is empty: a producer that finds the color idle
   * puts its event there.
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

  // ---- Pauses

  /** From RUNNING to PAUSED. Volatile: the caller looks next whether that still holds. */
  void park() {
    STATE.setVolatile(this, state | PAUSED); // all bits of the state
  }

  /** From PAUSED to ADMITTING, any thread. True: the caller has the color, and must queue it. */
  boolean unpark() {
    int s = (int) STATE.getVolatile(this);
    return (s & STATE_MASK) == PAUSED
        && STATE.compareAndSet(this, s, (s & ~STATE_MASK) | ADMITTING);
  }

  // ---- Permissions: see HandOver for the picture

  private static int readers(int s) {
    return (s & READERS_MASK) / ONE_READER;
  }

  /**
   * From IDLE to HELD, any thread: as if an event had come to the idle color, had activated it and
   * been taken at once. False: it was not idle.
   */
  boolean holdIdle() {
    if (!TAIL.compareAndSet(this, null, this)) {
      return false;
    }
    hold();
    return true;
  }

  /** From RUNNING to HELD: until {@link #admit} no thread may touch more than the shared part. */
  void hold() {
    STATE.setRelease(this, (state & ~STATE_MASK) | HELD);
  }

  /**
   * From HELD to ADMITTING, by its holder, or from IDLE, by the producer that has activated it:
   * alone at the mailbox.
   */
  void admit() {
    STATE.setVolatile(this, (state & ~STATE_MASK) | ADMITTING);
  }

  /** ADMITTING: whether one more event may read. */
  boolean hasRoomForReader() {
    return readers((int) STATE.getOpaque(this)) < MAX_READERS;
  }

  /** ADMITTING: whether any event reads. The calling thread alone lets in more. */
  boolean hasReaders() {
    return readers((int) STATE.getVolatile(this)) > 0;
  }

  /** ADMITTING: lets in one more event that reads. */
  void enterReader() {
    STATE.getAndAdd(this, ONE_READER); // others may be leaving
  }

  /**
   * From ADMITTING to SHARED. False: no event reads any more, and the caller still has the color.
   */
  boolean share() {
    while (true) {
      int s = (int) STATE.getVolatile(this);
      if (readers(s) == 0) {
        return false;
      }
      if (STATE.compareAndSet(this, s, (s & ~STATE_MASK) | SHARED)) {
        return true;
      }
    }
  }

  /** From SHARED to ADMITTING, any thread: to let in more readers, if there is room for them. */
  boolean joinReaders() {
    while (true) {
      int s = (int) STATE.getVolatile(this);
      if ((s & STATE_MASK) != SHARED || readers(s) == MAX_READERS) {
        return false;
      }
      if (STATE.compareAndSet(this, s, (s & ~STATE_MASK) | ADMITTING)) {
        return true;
      }
    }
  }

  /**
   * An event that read the color has ended.
   *
   * @return true if it was the last, and the color is the caller's: SHARED to ADMITTING. If another
   *     thread is ADMITTING, that one will see it
   */
  boolean leaveReader() {
    while (true) {
      int s = (int) STATE.getVolatile(this);
      boolean last = (s & STATE_MASK) == SHARED && readers(s) == 1;
      int left = s - ONE_READER;
      if (STATE.compareAndSet(this, s, last ? (left & ~STATE_MASK) | ADMITTING : left)) {
        return last;
      }
    }
  }
}
