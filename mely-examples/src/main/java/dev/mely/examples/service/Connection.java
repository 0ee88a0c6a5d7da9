package dev.mely.examples.service;

import java.nio.ByteBuffer;
import java.util.concurrent.Executor;

/**
 * A connection as its protocol sees it. As an executor it runs tasks in its own color, and may be
 * called from any thread; everything else belongs to that color.
 */
public interface Connection extends Executor {
  /**
   * Sends bytes behind those sent before; drops them if the connection has ended.
   *
   * @param bytes must not change from here on; its position and limit belong to the connection
   */
  void send(ByteBuffer bytes);

  /**
   * Returns how much has been sent and waits for the client to take it.
   *
   * @return bytes, not counting what the operating system holds
   */
  long unsent();

  /** Reads nothing more, until {@link #resume}. */
  void pause();

  /** Goes on reading. */
  void resume();

  /**
   * Ends the connection in good order: what has been sent leaves first, and what the client still
   * sends is dropped. The session receives nothing more.
   */
  void finish();

  /** Ends the connection at once. */
  void abort();
}
