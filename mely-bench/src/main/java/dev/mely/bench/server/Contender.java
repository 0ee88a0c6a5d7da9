package dev.mely.bench.server;

import java.io.IOException;

/** One side of a comparison. */
interface Contender {
  /** Its name in tables. */
  String label();

  /** The name of the one with which it is compared; its own if it is the reference. */
  String reference();

  /** Starts the server of one sample. */
  Server start(Comparison comparison) throws IOException;
}
