package dev.mely.examples.service;

import java.nio.ByteBuffer;
import java.util.concurrent.Executor;

/**
 * A connection as its protocol sees it. As an executor it runs tasks in its own color, and may be
 * called from any thread; everything else belongs to that color.
 */
public interface Connection extends Executor {
  /**
   * Sends bytes, after those sent before; drops them if the connection has ended.
   *
   * @param bytes must not change from here on; its position and limit belong to the connection
   */
  void send(ByteBuffer bytes);

  /**
   * Returns how much waits to be written to the socket.
   *
   * @return bytes, not counting the operating system's send buffer
   */
  long unsent();

  /** Stops reading, until {@link #resume}. */
  void pause();

  /** Resumes reading. */
  void resume();

  /**
   * Ends the connection once all output is written. What the client still sends is dropped; the
   * session receives nothing more.
   */
  void finish();

  /** Ends the connection at once. */
  void abort();
}
