package dev.mely.bench.sim;

import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** A prepared run. */
interface Run {
  /** The simulation, with its counters. */
  Simulation simulation();

  /** Continues until at least this number of the program's events has run. */
  default void runUntil(long events) {
    simulation().runUntil(events);
  }

  /** Latencies of requests from outside, in nanoseconds; null if there are none. */
  default @Nullable Histogram latencies() {
    return null;
  }

  /** Number of answered requests; 0 without clients. */
  default long answers() {
    return 0;
  }
}
