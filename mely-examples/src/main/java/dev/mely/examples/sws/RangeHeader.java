package dev.mely.examples.sws;

import dev.mely.examples.http.Characters;
import org.jspecify.annotations.Nullable;

/**
 * A satisfiable single range of a file (RFC 9110, section 14).
 *
 * @param first offset of the first byte
 * @param last offset of the last byte
 */
record RangeHeader(long first, long last) {
  private static final String UNIT = "bytes=";

  long length() {
    return last - first + 1;
  }

  /**
   * Reads a {@code Range} header.
   *
   * @return null if it is to be ignored: another unit, more than one range, or not a range at all
   * @throws Unsatisfiable if it asks for bytes that the file does not have
   */
  static @Nullable RangeHeader parse(String value, long size) throws Unsatisfiable {
    String text = value.strip();
    if (!text.regionMatches(true, 0, UNIT, 0, UNIT.length())) {
      return null;
    }
    String spec = text.substring(UNIT.length()).strip();
    int dash = spec.indexOf('-');
    if (dash < 0) {
      return null;
    }
    String from = spec.substring(0, dash);
    String to = spec.substring(dash + 1);
    if (!Characters.isNumber(from + to)) {
      return null;
    }
    long first;
    long last;
    if (from.isEmpty()) {
      first = Math.max(0, size - number(to));
      last = size - 1;
    } else {
      first = number(from);
      last = to.isEmpty() ? Long.MAX_VALUE : number(to);
      if (last < first) {
        return null;
      }
      last = Math.min(last, size - 1);
    }
    if (first >= size) {
      throw new Unsatisfiable();
    }
    return new RangeHeader(first, last);
  }

  /** A number of any length; one too large for a long is larger than any file all the same. */
  private static long number(String digits) {
    long value = 0;
    for (int i = 0; i < digits.length(); i++) {
      int digit = digits.charAt(i) - '0';
      if (value > (Long.MAX_VALUE - digit) / 10) {
        return Long.MAX_VALUE;
      }
      value = value * 10 + digit;
    }
    return value;
  }

  /** The file has no byte of the range: 416. */
  static final class Unsatisfiable extends Exception {
    private static final long serialVersionUID = 1L;

    Unsatisfiable() {
      super("no byte of the range is in the file", null, false, false);
    }
  }
}
