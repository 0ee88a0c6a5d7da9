package dev.mely.examples.sws;

import java.util.Arrays;

/**
 * Detects an idle connection: two checks per timeout compare counters with the last check's; after
 * two checks without a change, that is after 1 to 1.5 timeouts, it is idle.
 *
 * <p>Only complete requests and sent bytes are counted, so a request that arrives byte by byte
 * (slowloris) does not keep its connection open.
 */
final class IdleDetector {
  private static final int LOOKS = 2;

  private long[] seen;
  private int inVain;

  /**
   * @param counters how many there are; all start at 0
   */
  IdleDetector(int counters) {
    seen = new long[counters];
  }

  /**
   * Checks once.
   *
   * @param ours whether the client waits for this server: then the connection is not idle
   * @param counters current values
   * @return whether it has been idle for too long
   */
  boolean isOver(boolean ours, long... counters) {
    boolean moved = !Arrays.equals(counters, seen);
    seen = counters;
    inVain = moved || ours ? 0 : inVain + 1;
    return inVain >= LOOKS;
  }
}
