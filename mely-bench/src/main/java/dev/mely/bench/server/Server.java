package dev.mely.bench.server;

import java.io.IOException;

/** A server in a process of its own, as its starter sees it. Closing ends it, whatever it does. */
interface Server extends AutoCloseable {
  /** Where it listens, on the loopback address. */
  int port();

  /** What its process has used so far. */
  Usage usage() throws IOException;

  @Override
  void close() throws IOException;
}
