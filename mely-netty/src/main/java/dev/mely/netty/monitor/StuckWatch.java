package dev.mely.netty.monitor;

/** Notices that a core runs the same thing at each look. */
final class StuckWatch {
  /** From then on a core is called stuck, and its stack is shown. */
  private static final long STUCK_NANOS = 100_000_000;

  /** Whether it ran anything at the last look: then {@link #count} and {@link #since} hold. */
  private boolean ran;

  private long count;
  private long since;

  /**
   * One look.
   *
   * @param runs whether the core runs anything
   * @param begun another number whenever it has begun something: any number
   */
  void look(boolean runs, long begun, long now) {
    if (runs && (!ran || begun != count)) {
      count = begun;
      since = now;
    }
    ran = runs;
  }

  /** For how long the core has run the same thing, in milliseconds; 0: not for long. */
  long stuckMillis(long now) {
    long nanos = ran ? now - since : 0;
    return nanos < STUCK_NANOS ? 0 : nanos / 1_000_000;
  }
}
