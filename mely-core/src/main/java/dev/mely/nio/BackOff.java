package dev.mely.nio;

import java.time.Duration;

/**
 * How long to keep away from something that fails: 5 ms, doubled with each failure up to a second,
 * which are the figures of Go's HTTP server. Not thread-safe.
 */
final class BackOff {
  private static final Duration SHORTEST = Duration.ofMillis(5);
  private static final Duration LONGEST = Duration.ofSeconds(1);

  private Duration next = SHORTEST;

  /** Whether nothing has failed since the last success. */
  boolean isFirst() {
    return next.equals(SHORTEST);
  }

  /** Takes note of a failure. */
  Duration failed() {
    Duration now = next;
    Duration twice = now.multipliedBy(2);
    next = twice.compareTo(LONGEST) < 0 ? twice : LONGEST;
    return now;
  }

  /** Takes note of a success. */
  void succeeded() {
    next = SHORTEST;
  }
}
