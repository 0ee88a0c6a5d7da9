package dev.mely.netty.monitor;

/** Notices that a core runs the same thing at each look. */
final class StuckWatch {
  /** From then on a core is called stuck, and its stack is shown. */
  private static final long STUCK_NANOS = 100_000_000;

  private long count = -1;
  private long since;

  /**
   * One look.
   *
   * @param runs whether the core runs anything
   * @param begun how many times it has begun something
   */
  void look(boolean runs, long begun, long now) {
    if (!runs) {
      count = -1;
    } else if (begun != count) {
      count = begun;
      since = now;
    }
  }

  /** For how long the core has run the same thing, in milliseconds; 0: not for long. */
  long stuckMillis(long now) {
    long nanos = count < 0 ? 0 : now - since;
    return nanos < STUCK_NANOS ? 0 : nanos / 1_000_000;
  }
}
