package dev.mely.examples.sfs;

import java.time.Duration;

/**
 * When a sender changes its key.
 *
 * @param records after this many records under one key, including the one that announces the change
 * @param time after this time under one key, at the next message
 */
record RekeyRule(int records, Duration time) {
  static final RekeyRule DEFAULT = new RekeyRule(Records.MAX_PER_KEY, Duration.ofMinutes(10));

  RekeyRule {
    if (records < 2 || records > Records.MAX_PER_KEY) {
      throw new IllegalArgumentException("records must be 2 to " + Records.MAX_PER_KEY);
    }
    if (time.isNegative() || time.isZero()) {
      throw new IllegalArgumentException("time must be more than zero");
    }
  }
}
