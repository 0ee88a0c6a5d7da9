package dev.mely;

import dev.mely.pool.Pool;
import java.util.Iterator;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jctools.queues.atomic.MpscGrowableAtomicArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * The core-queue: the colors that wait for one core, in the order in which that core will run them.
 *
 * <p>The paper chains color-queues in a doubly linked list under a spinlock (Mely, section IV-A).
 * Here it is rings of colors: one that the core's own worker has for itself ({@link OwnLane}), and
 * one for each lane of {@link TurnOrder}, to which any thread appends without a lock. They hold one
 * entry for each QUEUED color, and sometimes stale ones; an entry is a hint (see {@link Color}).
 *
 * <pre>
 *   a handler of this core, while the shared lane is empty ---------> own lane --> worker
 *                                                                        ^
 *                                        when it is empty, up to 128     |
 *   any other thread ----------------------------------> shared lane ----+
 * </pre>
 *
 * <p>What lies in the own lane is thus older than all that lies in the shared one.
 *
 * <p>The shared rings allow one consumer at a time. That is the core's worker, nearly always; a
 * thief takes the same role for the length of one {@link #poll}. The role is one compare-and-set,
 * as a multi-consumer queue would need for each poll anyway.
 */
class CoreQueue {
  /** Maximum capacity of a ring, which grows by doubling; memory runs out first. */
  static final int MAX_CAPACITY = 1 << 30;

  /** The lane of all colors where order is rotation and nothing is urgent. */
  static final int ROTATION = TurnOrder.URGENT + 1;

  private static final int INITIAL_CAPACITY = 256;

  /** Places of the worker's own lane; when it is full the worker uses the shared lane. */
  private static final int OWN_PLACES = 1 << 10;

  /** Most entries that move from the shared lane to the own one at a time. */
  private static final int GATHER = 128;

  /** In order of rotation, as {@link #rotation}; unused where lanes are told apart. */
  private final OwnLane own;

  /** By lane. */
  private final Lane[] lanes;

  private final Lane rotation;
  private final TurnOrder order;

  /**
   * Whether another lane than {@link #rotation} has ever been used. Written by producers before
   * they offer. {@link #poll} reads it after its compare-and-set, so it sees the flag of each entry
   * that it must not miss. {@link #take} reads it before: a worker that has read a stale flag finds
   * nothing in a queue that is not empty, and looks again.
   */
  private boolean ordered;

  /** 1 while a thread consumes. */
  private final PaddedInt consuming = new PaddedInt();

  /** Told of a QUEUED color that cannot be put into the queue, and why. */
  final BiConsumer<Color, Throwable> noRoom;

  /**
   * @param order which lane has the next turn
   * @param capacity most entries of one lane, a power of two from 4
   * @param noRoom told of a QUEUED color for which a ring is full and cannot grow; the queue is as
   *     it was before
   */
  CoreQueue(TurnOrder order, int capacity, BiConsumer<Color, Throwable> noRoom) {
    this.order = order;
    this.noRoom = noRoom;
    this.lanes = new Lane[order.lanes()];
    for (int i = 0; i < lanes.length; i++) {
      lanes[i] = new Lane(capacity);
    }
    this.rotation = lanes[ROTATION];
    // A small bound has to hold for the own lane, too: it has no room then.
    this.own = new OwnLane(capacity < OWN_PLACES ? 1 : OWN_PLACES);
    this.ordered = isOrderedByCost();
  }

  /** Whether colors are told apart by what their next batch is expected to take. */
  boolean isOrderedByCost() {
    return lanes.length > 2;
  }

  /** Appends a QUEUED color. Any thread. A full fence: step (a) of {@link IdleCores}. */
  void offer(Color color) {
    offer(rotation, color);
  }

  /**
   * Appends a QUEUED color to the lane of its cost. Any thread. A full fence, too.
   *
   * @param expectedNanos about how long its next batch will take; 0: unknown
   */
  void offer(Color color, long expectedNanos) {
    offer(lanes[order.lane(expectedNanos)], color);
  }

  /** Appends a QUEUED color ahead of all that are not urgent. Any thread. */
  void offerUrgent(Color color) {
    if (!ordered) {
      ordered = true;
    }
    offer(lanes[TurnOrder.URGENT], color);
  }

  /**
   * Appends a QUEUED color, in order of rotation. By the core's own worker: no fence, since no
   * worker has to be woken.
   */
  void offerOwn(Color color) {
    if (ordered || own.room() == 0 || !rotation.isEmpty()) {
      offer(rotation, color);
    } else {
      own.add(color);
    }
  }

  /** Puts back a QUEUED color that {@link #poll(int)} has taken, to its lane's end. Any thread. */
  void putBack(Color color, int lane) {
    offer(lanes[lane], color);
  }

  private void offer(Lane lane, Color color) {
    try {
      if (!lane.offer(color)) {
        throw new IllegalStateException(
            "more than " + lane.capacity() + " colors wait for one core");
      }
    } catch (Throwable t) {
      noRoom.accept(color, t);
    }
  }

  /**
   * Takes the entry whose turn it is. The core's own worker.
   *
   * @return null if the queue is empty, if another thread is consuming at this moment, or if the
   *     entry is still being written; {@link #isEmpty} tells the first case from the others
   */
  @Nullable Color take() {
    if (ordered) {
      return own.isEmpty() ? poll() : takeInOrder();
    }
    Color color = own.poll();
    return color != null || rotation.isEmpty() ? color : gather();
  }

  /** Lanes are told apart, and the worker's own one is not empty yet. */
  private @Nullable Color takeInOrder() {
    if (!tryConsume()) {
      return null;
    }
    int lane = laneInTurn(1 << ROTATION);
    Color color = lane == ROTATION ? own.poll() : lanes[lane].relaxedPoll();
    consuming.setRelease(0);
    return color;
  }

  /** Takes the shared lane's first entry, and moves those behind it to the own lane. */
  private @Nullable Color gather() {
    Color first = null;
    if (tryConsume()) {
      first = rotation.relaxedPoll();
      for (int n = Math.min(GATHER, own.room()); n > 0; n--) {
        Color next = rotation.relaxedPoll();
        if (next == null) {
          break;
        }
        own.add(next);
      }
      consuming.setRelease(0);
    }
    return first;
  }

  /**
   * Takes the entry of the shared lanes whose turn it is. Any thread.
   *
   * @return null as {@link #take} does
   */
  @Nullable Color poll() {
    if (!tryConsume()) {
      return null;
    }
    Color color = ordered ? lanes[laneInTurn(0)].relaxedPoll() : rotation.relaxedPoll();
    consuming.setRelease(0);
    return color;
  }

  /**
   * The lane whose turn it is, for a thief, which may have to put back what it takes. Any thread.
   */
  int laneForThief() {
    if (!ordered || !tryConsume()) {
      return ROTATION;
    }
    int lane = laneInTurn(0);
    consuming.setRelease(0);
    return lane;
  }

  /**
   * Takes the first entry of a lane. Any thread.
   *
   * @return null as {@link #take} does; there may be something in {@link #own}
   */
  @Nullable Color poll(int lane) {
    if (!tryConsume()) {
      return null;
    }
    Color color = lanes[lane].relaxedPoll();
    consuming.setRelease(0);
    return color;
  }

  /** What the core's own worker has queued: for others to look at. */
  OwnLane own() {
    return own;
  }

  /**
   * Takes every entry that the queue holds now, and waits for threads that are writing or taking
   * one. Any thread, at the end. The entries of the own lane are only shown: the worker alone can
   * take them. From each lane it takes no more entries than there are at first: a color with an
   * event that is not linked yet comes back to the tail, and could be taken again and again.
   *
   * @param taker of colors, stale ones too
   */
  void drain(Consumer<Color> taker) {
    own.peek(Integer.MAX_VALUE, taker);
    for (Lane lane : lanes) {
      for (int n = lane.size(); n > 0; n--) {
        awaitConsumer();
        Color color = lane.poll();
        consuming.setRelease(0);
        if (color != null) {
          taker.accept(color);
        }
      }
    }
  }

  /** Takes the entries that the own lane has now: see {@link #drain}. The worker, at the end. */
  void leave(Consumer<Color> taker) {
    for (int n = own.size(); n > 0; n--) {
      Color color = own.poll();
      own.letGo();
      if (color != null) {
        taker.accept(color);
      }
    }
  }

  /** Spins until the caller is the consumer. */
  private void awaitConsumer() {
    while (!tryConsume()) {
      Thread.onSpinWait();
    }
  }

  /** Makes the caller the one consumer. False: another thread is. */
  boolean tryConsume() {
    return consuming.getOpaque() == 0 && consuming.compareAndSet(0, 1);
  }

  private int laneInTurn(int others) {
    int waiting = others;
    for (int i = 0; i < lanes.length; i++) {
      waiting |= lanes[i].isEmpty() ? 0 : 1 << i;
    }
    return waiting == 0 ? ROTATION : order.next(waiting);
  }

  /**
   * Whether no entry has been, or is being, added. Exact about the producers: an entry counts from
   * the moment in which its producer has won its place, so a worker may park on this answer. Of the
   * own lane, exact for the worker alone, a snapshot for others.
   */
  boolean isEmpty() {
    for (Lane lane : lanes) {
      if (!lane.isEmpty()) {
        return false;
      }
    }
    return own.isEmpty();
  }

  /**
   * Whether anything waits that goes before others: what is urgent, or, in the order of cost, a
   * color whose batch is expected to be short. A snapshot.
   */
  boolean hasPreferred() {
    for (int i = 0; i < order.firstLong(); i++) {
      if (!lanes[i].isEmpty()) {
        return true;
      }
    }
    return false;
  }

  /** Number of entries, stale ones included: the load of the core. A snapshot. */
  int size() {
    int size = own.size();
    for (Lane lane : lanes) {
      size += lane.size();
    }
    return size;
  }

  /** Number of entries in each lane, the urgent one first. A snapshot. */
  int[] sizes() {
    int[] sizes = new int[lanes.length];
    for (int i = 0; i < lanes.length; i++) {
      sizes[i] = lanes[i].size();
    }
    sizes[ROTATION] += own.size();
    return sizes;
  }

  /**
   * Shows entries without taking them, stale ones too, from the head of each lane. Any thread; may
   * miss some while the queue is at work.
   *
   * @param max most entries of each lane
   */
  void peek(int max, Consumer<Color> viewer) {
    own.peek(max, viewer);
    for (Lane lane : lanes) {
      Iterator<Color> entries = lane.iterator();
      for (int n = 0; n < max && entries.hasNext(); n++) {
        Color color = entries.next();
        if (color != null) {
          viewer.accept(color);
        }
      }
    }
  }

  // ---- Where the core has a pool: GatedQueue

  /** The core's pool; null: it has none. */
  @Nullable Pool pool() {
    return null;
  }

  /** The core's worker begins. */
  void begin() {}

  /**
   * Whether the next event of a color must wait for memory. The core's worker, which has claimed
   * the color: before each event, and before the color is queued again.
   */
  boolean mustWait(Color running) {
    return false;
  }

  /** Whether this core could run the next event of a color that waits elsewhere. A hint. */
  boolean couldRun(Color waiting) {
    return true;
  }

  /** Puts a QUEUED color in line that {@link #mustWait}. The core's worker. */
  void putOff(Color color) {
    throw new AssertionError("nobody waits for memory");
  }

  /**
   * Whether a color in line could go on now: the worker asks after publishing that it is parked.
   */
  boolean lineMoves() {
    return false;
  }

  /** How long until a color in line runs without its object, in nanoseconds. The core's worker. */
  long patience(long now) {
    return Long.MAX_VALUE;
  }

  /**
   * Lets colors in line run that have waited too long. The core's worker.
   *
   * @param end whether the runtime ends: then no color waits any more
   */
  void age(long now, boolean end) {}

  /** Whether colors are in line; stale entries may count. Any thread. */
  boolean hasLine() {
    return false;
  }

  /** How many colors are in line; stale entries may count. Any thread. */
  int lineSize() {
    return 0;
  }

  /** Whether a color waits in line. Any thread. */
  boolean holdsInLine() {
    return false;
  }

  /**
   * Empties the lines into a taker, which queues each color elsewhere or rejects it. Any thread.
   */
  void drainLine(Consumer<Color> taker) {}

  /** One ring. */
  private static final class Lane extends MpscGrowableAtomicArrayQueue<Color> {
    Lane(int capacity) {
      super(Math.min(INITIAL_CAPACITY, capacity / 2), capacity);
    }
  }
}
