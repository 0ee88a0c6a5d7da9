package dev.mely.examples.service;

import java.nio.ByteBuffer;

/** A protocol's state of one connection. Called in the connection's color. */
public interface Session {
  /**
   * Takes input from the client.
   *
   * @param bytes valid during this call only
   */
  void received(ByteBuffer bytes);

  /** All {@linkplain Connection#unsent unsent} output has been written. */
  default void drained() {}

  /**
   * There is no more input: the client has ended its output, or the server stops. The session sends
   * its last output, and then {@linkplain Connection#finish finishes}.
   */
  void ended();

  /** The connection has been closed. Called once, as the last call. */
  default void closed() {}
}
