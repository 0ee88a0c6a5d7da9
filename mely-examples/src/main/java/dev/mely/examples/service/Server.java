package dev.mely.examples.service;

import dev.mely.Statistics;
import dev.mely.stage.StageGraph;
import java.net.InetSocketAddress;
import java.time.Duration;

/** A running server. Thread-safe. */
public interface Server extends AutoCloseable {
  /**
   * Returns where the server listens.
   *
   * @return the address with the real port
   */
  InetSocketAddress address();

  /**
   * Returns what runs it.
   *
   * @return a few words for people
   */
  String runsOn();

  /**
   * Returns its clients.
   *
   * @return the counts
   */
  Clients clients();

  /**
   * Returns what the cores have done so far.
   *
   * @return a snapshot
   */
  Statistics statistics();

  /**
   * Returns its stages as recorded so far.
   *
   * @return a snapshot
   * @throws IllegalStateException if they are not recorded
   */
  StageGraph stages();

  /** Waits until the server has been told to stop. */
  void awaitClose() throws InterruptedException;

  /**
   * Returns how long {@link #close} takes at most.
   *
   * @return all its waits together
   */
  Duration longestClose();

  /**
   * Stops: accepts no more connections, lets sessions send what they owe as long as the drain
   * timeout allows, then closes what is left.
   */
  @Override
  void close();
}
