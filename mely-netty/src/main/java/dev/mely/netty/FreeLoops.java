package dev.mely.netty;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Event loops of one core that have no channel, the one that was left last in front: its memory is
 * the warmest. A loop is in here once at most, and comes out only if it has no channel still.
 *
 * <p>Thread-safe; the lock is held for a push or a pop.
 */
final class FreeLoops {
  /** Where a loop is: with a channel, or one is to come; or in here. */
  static final byte TAKEN = 0;

  private static final byte FREE = 1;

  /** In here, and somebody had asked for its termination future when it came. */
  private static final byte FREE_REQUESTED = 2;

  private final int most;
  private final int mostRequested;

  /** Of the loops; null if these terminate with the group alone. */
  private final @Nullable TerminationFutures futures;

  /** Guarded by this. */
  private final Deque<ColorEventLoop> loops = new ArrayDeque<>();

  /** How many are FREE_REQUESTED. Guarded by this. */
  private int requested;

  /**
   * Of loops that terminate with the group alone.
   *
   * @param most loops to keep; others are left to the garbage collector
   */
  FreeLoops(int most) {
    this.most = most;
    this.mostRequested = most;
    this.futures = null;
  }

  /**
   * Of loops that were made for one channel each.
   *
   * @param most loops to keep; others are left to the garbage collector
   * @param mostRequested loops to keep for which somebody keeps something, see {@link
   *     TerminationFutures}
   * @param futures tell for which loops somebody does
   */
  FreeLoops(int most, int mostRequested, TerminationFutures futures) {
    this.most = most;
    this.mostRequested = mostRequested;
    this.futures = futures;
  }

  /** The termination futures of the loops; null if these terminate with the group alone. */
  @Nullable TerminationFutures futures() {
    return futures;
  }

  private boolean isRequested(ColorEventLoop loop) {
    return futures != null && futures.isRequested(loop);
  }

  /** Takes a loop out; null if there is none. */
  synchronized @Nullable ColorEventLoop take() {
    for (ColorEventLoop loop = loops.pollLast(); loop != null; loop = loops.pollLast()) {
      remove(loop);
      // In this order: a channel that leaves after this look puts the loop back, under the lock.
      if (loop.isVacant()) {
        return loop;
      }
    }
    return null;
  }

  private void remove(ColorEventLoop loop) {
    if (loop.freeState == FREE_REQUESTED) {
      requested--;
    }
    loop.freeState = TAKEN;
  }

  /** The last channel of a loop has gone, or has not come. */
  void vacated(ColorEventLoop loop) {
    if (!isRequested(loop) || hasRoomForRequested() || !loop.terminateLater()) {
      add(loop);
    }
  }

  /** Puts a loop in, unless it is in here or there is no room. */
  synchronized void add(ColorEventLoop loop) {
    if (loop.freeState == TAKEN && loops.size() < most) {
      boolean isRequested = isRequested(loop);
      loop.freeState = isRequested ? FREE_REQUESTED : FREE;
      requested += isRequested ? 1 : 0;
      loops.addLast(loop);
    }
  }

  /** Whether there is room for one more loop for which somebody keeps something. */
  synchronized boolean hasRoomForRequested() {
    return requested < mostRequested;
  }

  synchronized int size() {
    return loops.size();
  }
}
