package dev.mely.kafka;

import java.time.Duration;

/**
 * How often, and when, a record that has failed is tried again.
 *
 * @param most after the first attempt
 * @param first back-off; each further one is twice as long
 * @param longest back-off
 */
record Retries(int most, Duration first, Duration longest) {
  static final Retries DEFAULT = new Retries(5, Duration.ofMillis(100), Duration.ofSeconds(10));

  boolean isAgain(int failures) {
    return failures <= most;
  }

  /**
   * The back-off before the next attempt.
   *
   * @param failures 1 or more
   */
  Duration backOff(int failures) {
    long nanos = first.toNanos();
    for (int i = 1; i < failures && nanos < longest.toNanos(); i++) {
      nanos *= 2;
    }
    return Duration.ofNanos(Math.min(nanos, longest.toNanos()));
  }
}
