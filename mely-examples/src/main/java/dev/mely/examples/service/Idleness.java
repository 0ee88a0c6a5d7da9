package dev.mely.examples.service;

/**
 * Detects an idle connection: {@link #LOOKS} checks in each idle timeout, and idle after as many
 * checks in a row without new bytes. Belongs to the connection's color.
 */
final class Idleness {
  /** Checks per idle timeout. */
  static final int LOOKS = 4;

  private long seen = -1;
  private int inVain;

  /**
   * Checks once.
   *
   * @param passed how many bytes have passed so far, in both directions
   * @return whether the connection has been idle for too long
   */
  boolean isOver(long passed) {
    if (passed != seen) {
      seen = passed;
      inVain = 0;
      return false;
    }
    return ++inVain >= LOOKS;
  }
}
