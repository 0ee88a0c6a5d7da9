package dev.mely.bench.kafka;

/** A running consumer, of any kind. */
@FunctionalInterface
interface Consumption {
  /** Commits what is done, and leaves the group. */
  void end() throws InterruptedException;
}
