package dev.mely.netty.doctor;

/** The slice that is recorded, by all threads. */
final class Recording {
  /** Nothing is recorded. */
  static final long CLOSED = Long.MAX_VALUE;

  /** Where {@link #now} begins. */
  private static final long ZERO = System.nanoTime();

  /** Whether an examination is under way: nothing of the program is held outside of one. */
  static volatile boolean watching;

  /** What ends later than this is recorded. */
  static volatile long from = CLOSED;

  private Recording() {}

  /** Nanoseconds since this class was loaded. */
  static long now() {
    return System.nanoTime() - ZERO;
  }
}
