package dev.mely.bench.micro;

import java.util.concurrent.Semaphore;

/** What a benchmark does with a contestant. Used by one thread, from outside the workers. */
@FunctionalInterface
public interface Scenario {
  /**
   * Does it for a while, and waits until all is done.
   *
   * @param rounds how often
   * @return how many operations that were
   */
  long play(int rounds);

  /**
   * Waits until all is done.
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
