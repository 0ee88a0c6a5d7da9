package dev.mely.bench.micro;

import java.util.concurrent.Semaphore;

/** A load for a contestant. Used by one thread outside the workers. */
@FunctionalInterface
public interface Scenario {
  /**
   * Runs the load, and waits until it is complete.
   *
   * @param rounds number of rounds
   * @return number of operations
   */
  long play(int rounds);

  /**
   * Waits for a load's end.
   *
   * @throws IllegalStateException if the thread is interrupted meanwhile
   */
  static void await(Semaphore over) {
    try {
      over.acquire();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted in the middle of a round", e);
    }
  }
}
