package dev.mely.bench.server;

/** One side of a comparison. */
interface Contender {
  /** Its name in tables. */
  String label();

  /** Which group serves. */
  Group group();

  /** Over which transport. */
  Transport transport();
}
