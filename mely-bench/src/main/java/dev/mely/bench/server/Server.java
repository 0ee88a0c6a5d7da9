package dev.mely.bench.server;

import java.io.IOException;

/** A server in a separate process. Closing kills the process. */
interface Server extends AutoCloseable {
  /** Its port on the loopback address. */
  int port();

  /** The process's use of CPU and memory so far. */
  Usage usage() throws IOException;

  @Override
  void close() throws IOException;
}
