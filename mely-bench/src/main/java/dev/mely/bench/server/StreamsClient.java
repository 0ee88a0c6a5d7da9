package dev.mely.bench.server;

import java.io.IOException;

/** Loads a server over one connection, in a closed loop; checks every response. */
interface StreamsClient extends AutoCloseable {
  /**
   * What a client does.
   *
   * @param port of the server
   * @param streams requests under way at a time
   * @param micros the work for each, in microseconds
   * @param nanos for how long
   */
  record Load(int port, int streams, int micros, long nanos) {}

  /**
   * The result of a load.
   *
   * @param requests answered in time
   * @param cpuNanos CPU time of the client
   * @param p50 median of the latency, in microseconds
   * @param p99 its 99th percentile
   */
  record Result(long requests, long cpuNanos, double p50, double p99) {}

  /**
   * Loads a server.
   *
   * @throws IOException if a response is missing or wrong
   */
  Result run(Load load) throws IOException, InterruptedException;

  @Override
  void close() throws IOException;
}
