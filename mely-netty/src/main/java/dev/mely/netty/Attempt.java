package dev.mely.netty;

/**
 * A step of a group's end. Whatever it throws, the next one is made: somebody waits for the end.
 */
final class Attempt {
  private static final System.Logger LOGGER = System.getLogger("dev.mely.netty");

  private Attempt() {}

  /** Runs a step, and logs what it throws. */
  static void at(Runnable step) {
    try {
      step.run();
    } catch (Throwable t) {
      try {
        LOGGER.log(System.Logger.Level.WARNING, "A step of a group's shutdown failed", t);
      } catch (Throwable ofTheLog) {
        // There is nobody else to tell.
      }
    }
  }
}
