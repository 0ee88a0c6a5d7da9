package dev.mely.examples.service;

import java.nio.ByteBuffer;

/** What a protocol keeps of one connection. Called in the connection's color. */
public interface Session {
  /**
   * Takes what the client has sent.
   *
   * @param bytes to be read during this call, and not kept
   */
  void received(ByteBuffer bytes);

  /** All that was {@linkplain Connection#unsent unsent} has been taken. */
  default void drained() {}

  /**
   * Nothing more will be received: the client has ended its output, or the server stops. The
   * session sends what it still owes, and then {@linkplain Connection#finish finishes}.
   */
  void ended();

  /** The connection has been closed, for whatever reason. Called once, the last of all. */
  default void closed() {}
}
