package dev.mely.netty;

import java.util.function.BooleanSupplier;

/**
 * A step of a group's end. Whatever it throws, the next one is made: somebody waits for the end.
 */
final class Attempt {
  private Attempt() {}

  /**
   * Runs a step, and logs what it throws.
   *
   * @return whether it threw nothing
   */
  static boolean at(Runnable step) {
    return answers(
        () -> {
          step.run();
          return true;
        });
  }

  /** Asks a question, and logs what it throws: the answer is no then. */
  static boolean answers(BooleanSupplier question) {
    try {
      return question.getAsBoolean();
    } catch (Throwable t) {
      Log.warn("A step of a group's shutdown failed", t);
      return false;
    }
  }
}
