package dev.mely.examples.service;

/**
 * Whether anything passes over a connection. It is asked {@link #LOOKS} times in each idle timeout,
 * and is over it once so many looks have shown nothing new. Belongs to the connection's color.
 */
final class Idleness {
  /** How often one looks in the time that a connection may be idle. */
  static final int LOOKS = 4;

  private long seen = -1;
  private int inVain;

  /**
   * Looks.
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
