package dev.mely.bench.server;

import java.io.IOException;
import java.nio.ByteBuffer;

/** What one connection of a {@link ClosedLoop} says, and which answer is right. One thread only. */
interface Exchange {
  /** How long a request is. */
  int requestBytes();

  /** How long an answer is. */
  int replyBytes();

  /** Writes the next request. */
  void ask(ByteBuffer request);

  /**
   * Looks at the answer to it.
   *
   * @throws IOException if it is wrong, saying how
   */
  void check(ByteBuffer reply) throws IOException;
}
