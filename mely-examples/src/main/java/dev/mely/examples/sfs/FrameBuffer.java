package dev.mely.examples.sfs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;

/**
 * Collects what comes from a socket and cuts it into records. Small until a long record comes,
 * which is not before the other side is known. Belongs to the color of its connection.
 */
final class FrameBuffer {
  private static final int SMALL = 2 * (Records.HEADER + Records.MAX_HANDSHAKE);
  private static final int LARGE = 2 * (Records.HEADER + Records.MAX_RECORD);

  private byte[] bytes = new byte[SMALL];
  private int maxRecord = Records.MAX_HANDSHAKE;

  /** What has come and was not taken is between these two. */
  private int from;

  private int to;

  /** Reads once. Returns how much has come, -1 at the end. */
  int readFrom(ReadableByteChannel channel) throws IOException {
    if (from > 0) {
      System.arraycopy(bytes, from, bytes, 0, to - from);
      to -= from;
      from = 0;
    }
    int n = channel.read(ByteBuffer.wrap(bytes, to, bytes.length - to));
    to += Math.max(0, n);
    return n;
  }

  /**
   * Whether a whole record is there.
   *
   * @throws ProtocolViolation if there is one that is too long
   */
  boolean hasRecord() throws ProtocolViolation {
    if (to - from < Records.HEADER) {
      return false;
    }
    int length = length();
    if (length < 1 || length > maxRecord) {
      throw new ProtocolViolation("a record of " + Integer.toUnsignedString(length) + " bytes");
    }
    if (Records.HEADER + length > bytes.length) {
      byte[] larger = new byte[LARGE];
      System.arraycopy(bytes, from, larger, 0, to - from);
      bytes = larger;
      to -= from;
      from = 0;
    }
    return to - from >= Records.HEADER + length;
  }

  /** The length of the record that {@link #hasRecord} has found. */
  int length() {
    return ByteBuffer.wrap(bytes).getInt(from);
  }

  /** The array that has the record. */
  byte[] array() {
    return bytes;
  }

  /** Where the record's body begins there. */
  int offset() {
    return from + Records.HEADER;
  }

  /** The record has been taken. */
  void skip() {
    from += Records.HEADER + length();
  }

  /** Whether some, but not all, of a record has come. */
  boolean isCut() {
    return to > from;
  }

  /** The other side is known: its records may be long. */
  void allowLong() {
    maxRecord = Records.MAX_RECORD;
  }
}
