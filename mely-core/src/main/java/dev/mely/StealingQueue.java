package dev.mely;

import org.jctools.queues.atomic.MpmcAtomicArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * The stealing-queue: the worthy colors of one core, in three intervals of time left, unordered
 * within one (Mely, section IV-B (b)). Searches for worthy colors look here only. In the
 * oldest-first variant the intervals are one, in the order in which colors became ready.
 *
 * <p>The colors lie in the core-queue as well; entries are hints (see {@link Color}) and may be
 * stale. The intervals are bounded: when one is full, its oldest entry is dropped, since its own
 * core will reach that color next. Thieves do not see it any more; nothing else changes.
 *
 * <p>Thread-safe: any producer, any thief.
 */
final class StealingQueue {
  /** Number of intervals, as in the paper. */
  static final int INTERVALS = 3;

  private final MpmcAtomicArrayQueue<Color> low;
  private final MpmcAtomicArrayQueue<Color> middle;
  private final MpmcAtomicArrayQueue<Color> high;
  private final boolean oldestFirst;

  /**
   * Whether any color has ever been offered. Written by producers, read by the core's worker, both
   * plainly. A benign race: a worker that misses the first offers leaves stale entries behind.
   */
  private boolean inUse;

  /**
   * @param capacity most entries in one interval, 2 or more
   * @param oldestFirst whether all intervals are one (requirement B12)
   */
  StealingQueue(int capacity, boolean oldestFirst) {
    this.oldestFirst = oldestFirst;
    low = new MpmcAtomicArrayQueue<>(capacity);
    middle = new MpmcAtomicArrayQueue<>(capacity);
    high = new MpmcAtomicArrayQueue<>(capacity);
  }

  /** Makes a color visible to thieves. */
  void offer(Color color, int interval) {
    if (!inUse) {
      inUse = true;
    }
    MpmcAtomicArrayQueue<Color> queue = interval(interval);
    // Two attempts: another producer may take the place that was freed. An entry that finds none
    // is dropped; its color waits for its own core.
    if (!queue.offer(color)) {
      queue.relaxedPoll();
      queue.relaxedOffer(color);
    }
  }

  /** Takes an entry of the highest interval that has one, or null. */
  @Nullable Color poll() {
    // Relaxed: an entry that is still being written is one for the next look.
    Color color = high.relaxedPoll();
    if (color == null) {
      color = middle.relaxedPoll();
    }
    if (color == null) {
      color = low.relaxedPoll();
    }
    return color;
  }

  /**
   * Removes the entry of a color that its own core has just claimed, if it is the oldest of its
   * interval. Both queues have about the same order, so it mostly is; this spares thieves stale
   * entries.
   */
  void discard(Color color, int interval) {
    MpmcAtomicArrayQueue<Color> queue = interval(interval);
    if (queue.relaxedPeek() == color) {
      Color oldest = queue.relaxedPoll();
      if (oldest != null && oldest != color) {
        queue.relaxedOffer(oldest); // a thief was faster: put the other color's entry back
      }
    }
  }

  /** Whether there may be anything to {@link #discard}: false where nothing was ever worthy. */
  boolean isInUse() {
    return inUse;
  }

  /** Whether there is no entry, stale or not. */
  boolean isEmpty() {
    return high.isEmpty() && middle.isEmpty() && low.isEmpty();
  }

  /** Number of entries, stale ones included. A snapshot. */
  int size() {
    return high.size() + middle.size() + low.size();
  }

  /**
   * Number of entries of the highest interval, stale ones included: those whose work is many times
   * what a steal costs. In the oldest-first variant, of all. A snapshot.
   */
  int large() {
    return (oldestFirst ? low : high).size();
  }

  /** Number of entries in each interval, the lowest first. A snapshot. */
  int[] sizes() {
    return new int[] {low.size(), middle.size(), high.size()};
  }

  private MpmcAtomicArrayQueue<Color> interval(int interval) {
    return interval == 0 || oldestFirst ? low : interval == 1 ? middle : high;
  }
}
