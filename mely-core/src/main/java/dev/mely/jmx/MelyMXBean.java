package dev.mely.jmx;

/**
 * What a management console sees of a runtime. Sums over all cores since the start; for single
 * cores see {@link #statistics}.
 */
public interface MelyMXBean {
  /** Returns the number of cores. */
  int getCores();

  /** Returns the number of events that were run. */
  long getEvents();

  /** Returns the number of events whose handler threw. */
  long getErrors();

  /** Returns the number of colors that wait for their turn now. */
  long getColorsWaiting();

  /** Returns the number of colors that were stolen. */
  long getColorsStolen();

  /** Returns the number of colors that were taken from cores stuck in a handler. */
  long getTakeovers();

  /** Returns the time spent in the first batch of stolen colors, in nanoseconds. */
  long getStolenNanos();

  /** Returns what the runtime takes a steal to cost now, in nanoseconds. */
  long getStealCostNanos();

  /** Returns how often a worker went to wait. */
  long getParks();

  /** Returns for how long workers have waited, in nanoseconds, added up. */
  long getParkedNanos();

  /** Returns how often a worker was called to steal. */
  long getWakeups();

  /** Returns how many handlers were reported for blocking their core. */
  long getBlockedHandlers();

  /** Returns a table with one line per core and one for the sums. */
  String statistics();

  /** Returns what each core does at this moment: {@link dev.mely.Inspection#dump()}. */
  String dump();
}
