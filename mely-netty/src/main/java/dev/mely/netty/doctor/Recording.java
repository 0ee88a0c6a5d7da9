package dev.mely.netty.doctor;

/** The slice that is recorded, by all threads. */
final class Recording {
  /** Nothing is recorded. */
  static final long CLOSED = Long.MAX_VALUE;

  /** Where {@link #now} begins. */
  private static final long ZERO = System.nanoTime();

  /** What ends later than this is recorded. */
  static volatile long from = CLOSED;

  private Recording() {}

  /** Nanoseconds since this class was loaded. */
  static long now() {
    return System.nanoTime() - ZERO;
  }
}
