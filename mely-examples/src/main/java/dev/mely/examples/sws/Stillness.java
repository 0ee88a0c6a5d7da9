package dev.mely.examples.sws;

import java.util.Arrays;

/**
 * Whether nothing moves on a connection. Whoever guards it looks twice in a timeout, and compares
 * counters with those of last time; after two looks without a change, that is after one to one and
 * a half timeouts, it is over.
 *
 * <p>Whole requests and sent bytes are to be counted and nothing else, so that a request that
 * trickles in does not hold its place.
 */
final class Stillness {
  private static final int LOOKS = 2;

  private long[] seen;
  private int inVain;

  /**
   * @param counters how many there will be; all begin at 0
   */
  Stillness(int counters) {
    seen = new long[counters];
  }

  /**
   * Looks.
   *
   * @param ours whether the client waits for this server, which does not count against it
   * @param counters what they say now
   * @return whether it has been still for too long
   */
  boolean isOver(boolean ours, long... counters) {
    boolean moved = !Arrays.equals(counters, seen);
    seen = counters;
    inVain = moved || ours ? 0 : inVain + 1;
    return inVain >= LOOKS;
  }
}
