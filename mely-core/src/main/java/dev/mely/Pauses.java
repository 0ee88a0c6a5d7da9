package dev.mely;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * The colors that the program has paused: what is pending in them waits until they are resumed, or
 * rejected at the end.
 *
 * <pre>
 *   IDLE, QUEUED    pause: into the set      in the set       a worker has it,      PAUSED, in no
 *   or RUNNING    ------------------------>  IDLE, QUEUED   -------------------->   core-queue
 *       ^                                    or RUNNING       with pending events      |
 *       +--------------------------------------+ resume: out of the set ---------------+
 * </pre>
 *
 * <p>A worker looks into the set before it takes an event, and before it queues a color again; what
 * admits readers and writers to a color that is held looks there, too ({@link HandOver}). So a
 * pause costs a program that pauses nothing one read per event, and a color no memory.
 *
 * <p>No color is left behind (Dekker pattern): a worker sets PAUSED, then looks into the set; who
 * resumes takes the color out of the set, then looks for PAUSED, with {@link #count} between them.
 * The compare-and-set from PAUSED decides between the two. Readers that wait beside one that holds
 * the color are let in when that one ends.
 *
 * <p>Any thread.
 */
final class Pauses {
  private final Consumer<Color> requeue;
  private final Set<Color> paused = ConcurrentHashMap.newKeySet();

  /**
   * The size of the set, or more for a moment: a look at it is cheap where nothing is paused. The
   * order of the accesses rests on it, since those of the set alone are weaker: it is written after
   * a color has been taken out, and read before the set is.
   */
  private volatile int count;

  /**
   * @param requeue queues a color that the calling thread has
   */
  Pauses(Consumer<Color> requeue) {
    this.requeue = requeue;
  }

  boolean isPaused(Color color) {
    return count != 0 && paused.contains(color);
  }

  /** How many colors are paused. */
  int count() {
    return count;
  }

  /** Events that run go on to their end; no other event of the color begins. */
  synchronized void pause(Color color) {
    count = paused.size() + 1; // first: who finds the color in the set must not miss it
    paused.add(color);
    count = paused.size();
  }

  void resume(Color color) {
    synchronized (this) {
      if (!paused.remove(color)) {
        return;
      }
      count = paused.size();
    }
    release(color);
  }

  /**
   * A batch has ended, events are left, and the color is paused. The worker that runs the color.
   */
  void park(Color color) {
    color.park();
    if (!isPaused(color)) {
      release(color); // resumed meanwhile
    }
  }

  /** To a core-queue, if it is PAUSED. */
  private void release(Color color) {
    if (color.unpark()) {
      requeue.accept(color);
    }
  }

  /** The runtime is closed: rejects what is pending. */
  void sweep() {
    if (count != 0) {
      paused.forEach(this::release);
    }
  }
}
