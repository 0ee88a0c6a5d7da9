package dev.mely.netty;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * The free list of a core: event loops without a channel, the one that was left last on top, since
 * its memory is the warmest. A loop is in it once at most, and is taken out only if it still has no
 * channel.
 *
 * <p>Thread-safe; the lock is held for a push or a pop.
 */
final class FreeLoops {
  /** Not in the list: the loop has a channel, or is to get one. */
  static final byte TAKEN = 0;

  private static final byte FREE = 1;

  /** In the list, and its termination future had been asked for when it came. */
  private static final byte FREE_REQUESTED = 2;

  private final int most;
  private final int mostRequested;

  /** The termination futures of the loops; null if these terminate only with the group. */
  private final @Nullable TerminationFutures futures;

  /** Guarded by this. */
  private final Deque<ColorEventLoop> loops = new ArrayDeque<>();

  /** How many are FREE_REQUESTED. Guarded by this. */
  private int requested;

  /**
   * A list of loops that terminate only with the group.
   *
   * @param most loops to keep; others are left to the garbage collector
   */
  FreeLoops(int most) {
    this.most = most;
    this.mostRequested = most;
    this.futures = null;
  }

  /**
   * A list of loops that were made for one channel each.
   *
   * @param most loops to keep; others are left to the garbage collector
   * @param mostRequested of them, loops to keep whose termination future was asked for
   * @param futures knows for which loops it was
   */
  FreeLoops(int most, int mostRequested, TerminationFutures futures) {
    this.most = most;
    this.mostRequested = mostRequested;
    this.futures = futures;
  }

  /** The termination futures of the loops; null if these terminate only with the group. */
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
      // In this order: a channel that leaves after this check puts the loop back, under the lock.
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

  /** The last channel of a loop has gone, or its registration has failed. */
  void vacated(ColorEventLoop loop) {
    if (!isRequested(loop) || hasRoomForRequested() || !loop.terminateLater()) {
      add(loop);
    }
  }

  /** Puts a loop in, unless it is in already or there is no room. */
  synchronized void add(ColorEventLoop loop) {
    if (loop.freeState == TAKEN && loops.size() < most) {
      boolean isRequested = isRequested(loop);
      loop.freeState = isRequested ? FREE_REQUESTED : FREE;
      requested += isRequested ? 1 : 0;
      loops.addLast(loop);
    }
  }

  /** Whether there is room for one more loop whose termination future was asked for. */
  synchronized boolean hasRoomForRequested() {
    return requested < mostRequested;
  }

  synchronized int size() {
    return loops.size();
  }
}
