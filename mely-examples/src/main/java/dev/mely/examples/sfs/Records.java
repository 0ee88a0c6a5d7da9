package dev.mely.examples.sfs;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;

/** The record layer, below the messages; the numbers are those of mely-examples/sfs.md. */
final class Records {
  /** Size of the header: the length of the record's body, four bytes, big-endian. */
  static final int HEADER = 4;

  /** Types of a record: the first encrypted byte. */
  static final byte DATA = 0;

  static final byte REKEY = 1;
  static final byte CLOSE = 2;
  static final byte HANDSHAKE = 3;

  /** The longest message, type included. */
  static final int MAX_MESSAGE = (64 << 10) + 1024;

  /** The longest record, without its header. */
  static final int MAX_RECORD = MAX_MESSAGE + TrafficKey.TAG_BYTES;

  /** The longest record in the handshake. */
  static final int MAX_HANDSHAKE = 512;

  /** How many records one key may protect; the receiver refuses more. */
  static final int MAX_PER_KEY = 1 << 16;

  private Records() {}

  static byte[] header(int length) {
    return ByteBuffer.allocate(HEADER).putInt(length).array();
  }

  /** A record that is not encrypted. */
  static byte[] plain(byte[] body) {
    return concat(header(body.length), body);
  }

  static byte[] concat(byte[]... parts) {
    ByteArrayOutputStream whole = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      whole.writeBytes(part);
    }
    return whole.toByteArray();
  }
}
