package dev.mely.examples.kv;

import java.nio.charset.StandardCharsets;

/** Whole numbers as Redis reads them: no sign but a minus, no zeros in front, no blanks. */
final class Numbers {
  private Numbers() {}

  static long integer(byte[] text) throws CommandFailure {
    return integer(text, 0, text.length);
  }

  static long integer(byte[] text, int from, int to) throws CommandFailure {
    int at = from;
    boolean negative = at < to && text[at] == '-';
    if (negative) {
      at++;
    }
    int digits = to - at;
    if (digits < 1 || digits > 19 || (text[at] == '0' && (digits > 1 || negative))) {
      throw failure();
    }
    long value = 0; // negative: there is one more of those
    while (at < to) {
      int digit = text[at++] - '0';
      if (digit < 0 || digit > 9 || value < (Long.MIN_VALUE + digit) / 10) {
        throw failure();
      }
      value = value * 10 - digit;
    }
    if (negative) {
      return value;
    }
    if (value == Long.MIN_VALUE) {
      throw failure();
    }
    return -value;
  }

  static byte[] text(long value) {
    return Long.toString(value).getBytes(StandardCharsets.US_ASCII);
  }

  private static CommandFailure failure() {
    return new CommandFailure(CommandFailure.NOT_AN_INTEGER);
  }
}
