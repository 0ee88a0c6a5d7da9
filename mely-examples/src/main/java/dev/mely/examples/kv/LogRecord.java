package dev.mely.examples.kv;

import dev.mely.Event;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * One entry of the append-only file, all of it or nothing: commands that were done together.
 *
 * <pre>
 *   4 bytes  length of the commands
 *   4 bytes  CRC-32C of the commands
 *   4 bytes  CRC-32C of the eight bytes before
 *   commands, as a client would send them
 * </pre>
 *
 * <p>Lengths have a checksum of their own: else one that is damaged would look like an entry that
 * was not written to its end.
 */
final class LogRecord extends Event {
  /** Bytes before the commands. */
  static final int HEADER = 12;

  /** From its beginning to its end; shared by two files at most, which take duplicates. */
  final ByteBuffer bytes;

  /** A part of a snapshot, for the file that is being made alone. */
  final boolean snapshot;

  private LogRecord(ByteBuffer bytes, boolean snapshot) {
    this.bytes = bytes;
    this.snapshot = snapshot;
  }

  static LogRecord of(List<byte[][]> commands, boolean snapshot) {
    int length = 0;
    for (byte[][] command : commands) {
      length = Math.addExact(length, 1 + digits(command.length) + 2);
      for (byte[] word : command) {
        length = Math.addExact(length, 1 + digits(word.length) + 2 + word.length + 2);
      }
    }
    ByteBuffer bytes = ByteBuffer.allocate(HEADER + length).position(HEADER);
    for (byte[][] command : commands) {
      number(bytes, '*', command.length);
      for (byte[] word : command) {
        number(bytes, '$', word.length);
        bytes.put(word).put((byte) '\r').put((byte) '\n');
      }
    }
    bytes.flip();
    bytes.putInt(0, length).putInt(4, checksum(bytes.array(), HEADER, length));
    bytes.putInt(8, checksum(bytes.array(), 0, 8));
    return new LogRecord(bytes, snapshot);
  }

  static int checksum(byte[] bytes, int from, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, from, length);
    return (int) crc.getValue();
  }

  private static int digits(int number) {
    int digits = 1;
    for (int rest = number; rest > 9; rest /= 10) {
      digits++;
    }
    return digits;
  }

  private static void number(ByteBuffer bytes, char kind, int number) {
    bytes.put((byte) kind);
    if (number < 10) {
      bytes.put((byte) ('0' + number));
    } else {
      bytes.put(Integer.toString(number).getBytes(StandardCharsets.US_ASCII));
    }
    bytes.put((byte) '\r').put((byte) '\n');
  }
}
