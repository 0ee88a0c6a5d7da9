package dev.mely.examples.service;

import dev.mely.stage.StageGraph;
import java.net.InetSocketAddress;
import java.time.Duration;

/** A server that runs until it is told to stop. Thread-safe. */
public interface Running extends AutoCloseable {
  /** Returns where the server listens, with the real port. */
  InetSocketAddress address();

  /**
   * Returns its stages as recorded so far.
   *
   * @return a snapshot
   * @throws IllegalStateException if they are not recorded
   */
  StageGraph stages();

  /**
   * Waits until the server has been told to stop.
   *
   * @throws InterruptedException if the thread is interrupted
   */
  void awaitClose() throws InterruptedException;

  /**
   * Returns how long {@link #close} takes at most.
   *
   * @return the sum of its timeouts
   */
  Duration longestClose();

  /**
   * Stops: accepts no more connections, lets open ones finish within the drain timeout, then closes
   * them.
   */
  @Override
  void close();
}
