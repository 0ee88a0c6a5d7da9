package dev.mely.examples.service;

import dev.mely.Statistics;

/** A running server of a {@link Protocol}. Thread-safe. */
public interface Server extends Running {
  /**
   * Returns what runs it.
   *
   * @return a few words for people
   */
  String runsOn();

  /**
   * Returns its clients.
   *
   * @return the counts
   */
  Clients clients();

  /**
   * Returns what the cores have done so far.
   *
   * @return a snapshot
   */
  Statistics statistics();
}
