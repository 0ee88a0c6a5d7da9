package dev.mely.netty;

import java.util.function.BooleanSupplier;

/**
 * Runs the steps of a group's shutdown so that a step that throws does not keep the next one from
 * running: threads wait for the end.
 */
final class ShutdownStep {
  private ShutdownStep() {}

  /**
   * Runs a step, and logs what it throws.
   *
   * @return whether it threw nothing
   */
  static boolean run(Runnable step) {
    return ask(
        () -> {
          step.run();
          return true;
        });
  }

  /** Asks a question. If it throws, that is logged, and the answer is no. */
  static boolean ask(BooleanSupplier question) {
    try {
      return question.getAsBoolean();
    } catch (Throwable t) {
      Log.warn("A step of a group's shutdown failed", t);
      return false;
    }
  }
}
