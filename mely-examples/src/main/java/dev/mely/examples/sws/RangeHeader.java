package dev.mely.examples.sws;

import dev.mely.examples.http.Characters;

/** A {@code Range} header (RFC 9110, section 14). */
final class RangeHeader {
  private static final String UNIT = "bytes=";

  private RangeHeader() {}

  /**
   * Reads a single range of a file; what is none, more than one, or in another unit is ignored.
   *
   * @param size of the file
   */
  static Selection parse(String value, long size) {
    String text = value.strip();
    if (!text.regionMatches(true, 0, UNIT, 0, UNIT.length())) {
      return Selection.whole(size);
    }
    String spec = text.substring(UNIT.length()).strip();
    int dash = spec.indexOf('-');
    String from = spec.substring(0, Math.max(0, dash));
    String to = spec.substring(dash + 1);
    if (dash < 0 || !Characters.isNumber(from + to)) {
      return Selection.whole(size);
    }
    long first = from.isEmpty() ? Math.max(0, size - number(to)) : number(from);
    long last = from.isEmpty() || to.isEmpty() ? Long.MAX_VALUE : number(to);
    if (last < first) {
      return Selection.whole(size);
    }
    return first < size
        ? new Selection(Selection.Kind.PART, first, Math.min(last, size - 1) - first + 1)
        : Selection.UNSATISFIABLE;
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
}
