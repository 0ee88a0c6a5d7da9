package dev.mely.bench.sim;

import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** A run that has been prepared. */
interface Run {
  /** The simulation, to be asked what it has counted. */
  Simulation simulation();

  /** Goes on until at least this number of the program's events has been run. */
  default void runUntil(long events) {
    simulation().runUntil(events);
  }

  /** Latencies, in nanoseconds, of what has arrived from outside; null: nothing does. */
  default @Nullable Histogram latencies() {
    return null;
  }

  /** Requests of clients that have been answered; 0: there are no clients. */
  default long answers() {
    return 0;
  }
}
