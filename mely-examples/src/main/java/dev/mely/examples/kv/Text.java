package dev.mely.examples.kv;

import java.util.Arrays;

/** A string that has been appended to: with room, so that the next bytes need no copy of all. */
final class Text {
  private byte[] bytes;
  private int length;

  Text(byte[] start) {
    bytes = start;
    length = start.length;
  }

  void append(byte[] more) {
    int needed = Math.addExact(length, more.length);
    if (needed > bytes.length) {
      // Always so at first: what it was made of belongs to somebody else.
      bytes = Arrays.copyOf(bytes, needed + Math.min(needed, 1 << 20));
    }
    System.arraycopy(more, 0, bytes, length, more.length);
    length = needed;
  }

  int length() {
    return length;
  }

  byte[] copy() {
    return Arrays.copyOf(bytes, length);
  }
}
