package dev.mely;

import org.jctools.queues.atomic.MpscGrowableAtomicArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * The core-queue: the colors that wait for one core, in the order in which that core will run them.
 *
 * <p>The paper chains color-queues in a doubly linked list under a spinlock (Mely, section IV-A).
 * Here it is a ring of colors that any thread appends to without a lock. It holds one entry for
 * each QUEUED color, and sometimes stale ones; an entry is a hint (see {@link Color}).
 *
 * <p>The ring allows one consumer at a time. That is the core's worker, nearly always; a thief
 * takes the same role for the length of one {@link #poll}. The role is one compare-and-set, as a
 * multi-consumer queue would need for each poll anyway.
 */
final class CoreQueue {
  private static final int INITIAL_CAPACITY = 256;

  /** The ring doubles up to this; it is a bound that memory reaches first. */
  private static final int MAX_CAPACITY = 1 << 30;

  private final MpscGrowableAtomicArrayQueue<Color> ring =
      new MpscGrowableAtomicArrayQueue<>(INITIAL_CAPACITY, MAX_CAPACITY);

  /** 1 while somebody consumes. */
  private final PaddedInt consuming = new PaddedInt();

  /** Appends a QUEUED color. Any thread. A full fence: what follows sees who has parked before. */
  void offer(Color color) {
    if (!ring.offer(color)) {
      throw new IllegalStateException("more than " + MAX_CAPACITY + " colors wait for one core");
    }
  }

  /**
   * Takes the oldest entry. Any thread.
   *
   * @return null if the queue is empty, if another thread is consuming at this moment, or if the
   *     oldest entry is still being written; {@link #isEmpty} tells the first case from the others
   */
  @Nullable Color poll() {
    if (consuming.getOpaque() != 0 || !consuming.compareAndSet(0, 1)) {
      return null;
    }
    Color color = ring.relaxedPoll();
    consuming.setRelease(0);
    return color;
  }

  /**
   * Whether no entry has been, or is being, added. Exact about the producers: an entry counts from
   * the moment in which its producer has won its place, so a worker may park on this answer.
   */
  boolean isEmpty() {
    return ring.isEmpty();
  }

  /** Number of entries, stale ones included: the load of the core. A snapshot. */
  int size() {
    return ring.size();
  }
}
