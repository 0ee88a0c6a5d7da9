package dev.mely;

import java.time.Duration;

/** Durations in nanoseconds, saturating: no duration is too long. */
final class Nanos {
  /** About 73 years: stands for "for ever", and can be added to a clock without overflow. */
  static final long LIMIT = Long.MAX_VALUE / 4;

  private Nanos() {}

  /** The nanoseconds of a duration, at most {@link #LIMIT}; negative counts as zero. */
  static long of(Duration duration) {
    if (duration.isNegative()) {
      return 0;
    }
    return duration.compareTo(Duration.ofNanos(LIMIT)) > 0 ? LIMIT : duration.toNanos();
  }
}
