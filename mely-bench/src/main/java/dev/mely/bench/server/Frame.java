package dev.mely.bench.server;

/** A message of either benchmark: 16 bytes, the first of which is the kind of the request. */
final class Frame {
  static final int BYTES = 16;

  /** Takes {@link #BUSY_NANOS} to answer. */
  static final byte BUSY = 'B';

  /** Is answered at once. */
  static final byte LIGHT = 'L';

  /** Takes {@link #MEDIUM_NANOS} to answer. */
  static final byte MEDIUM = 'M';

  /** How long the server works for a busy request. */
  static final long BUSY_NANOS = 500_000;

  /** How long the server works for a medium one. */
  static final long MEDIUM_NANOS = 100_000;

  /** How long the server works for a request of the mix, on average. */
  static final long MIXED_NANOS = (2 * MEDIUM_NANOS + BUSY_NANOS) / 10;

  private Frame() {}

  /**
   * A kind drawn from the mix: seven of ten light, two medium, one busy.
   *
   * @param draw from 0 to 9
   */
  static byte mixed(int draw) {
    return draw == 0 ? BUSY : draw <= 2 ? MEDIUM : LIGHT;
  }
}
