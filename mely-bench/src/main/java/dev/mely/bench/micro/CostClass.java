package dev.mely.bench.micro;

import dev.mely.bench.Work;
import java.time.Duration;

/**
 * The handlers of {@code unbalanced}: one for short events and four for long ones, each with its
 * average cost declared, as if after profiling (Mely, section III-B).
 */
enum CostClass {
  SHORT(0, 200),
  FROM_10K(10_000, 20_000),
  FROM_20K(20_000, 30_000),
  FROM_30K(30_000, 40_000),
  FROM_40K(40_000, 50_001);

  private final int from;
  private final int to;

  /** From, inclusive, to, exclusive, in cycles. */
  CostClass(int from, int to) {
    this.from = from;
    this.to = to;
  }

  /** The class of events that take so many cycles. */
  static CostClass of(int cycles) {
    for (CostClass c : values()) {
      if (c.from <= cycles && cycles < c.to) {
        return c;
      }
    }
    throw new IllegalArgumentException("no cost class for " + cycles + " cycles");
  }

  /** The declared cost. */
  Duration cost() {
    return Duration.ofNanos(Work.nanos((from + to) / 2));
  }
}
