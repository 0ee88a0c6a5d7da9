package dev.mely.examples.service;

import dev.mely.report.Statistics;

/** A running server of a {@link Protocol}. Thread-safe. */
public interface Server extends Running {
  /** Describes its transport and cores, for a message. */
  String runsOn();

  /** Returns its clients. */
  Clients clients();

  /** Returns what the cores have done so far. */
  Statistics statistics();
}
