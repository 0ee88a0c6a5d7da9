package dev.mely.bench.server;

import java.nio.ByteBuffer;

/** A message of either benchmark: 16 bytes, the first of which says what it asks for. */
final class Frame {
  static final int BYTES = 16;

  /** Takes {@link #BUSY_NANOS} to answer. */
  static final byte BUSY = 'B';

  /** Is answered at once. */
  static final byte LIGHT = 'L';

  /** How long the server works for a busy request. */
  static final long BUSY_NANOS = 500_000;

  private Frame() {}

  /** A message ready to be written; after it has been read back, flip it. */
  static ByteBuffer of(byte kind) {
    ByteBuffer frame = ByteBuffer.allocateDirect(BYTES);
    frame.put(0, kind);
    return frame;
  }
}
