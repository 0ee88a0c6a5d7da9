package dev.mely.examples.kv;

/**
 * Patterns of names, as Redis has them: {@code *}, {@code ?}, {@code [a-c]}, {@code [^a]}, and a
 * backslash before what shall mean itself. Takes time in proportion to pattern and name, multiplied
 * at most: only the last star is tried again.
 */
final class Glob {
  private final byte[] pattern;

  Glob(byte[] pattern) {
    this.pattern = pattern;
  }

  boolean matches(byte[] name) {
    int p = 0;
    int n = 0;
    int star = -1;
    int tried = 0;
    while (n < name.length) {
      if (p < pattern.length && pattern[p] == '*') {
        star = p++;
        tried = n;
        continue;
      }
      int next = p < pattern.length ? one(p, name[n]) : -1;
      if (next >= 0) {
        p = next;
        n++;
      } else if (star >= 0) {
        p = star + 1; // the last star takes one more
        n = ++tried;
      } else {
        return false;
      }
    }
    while (p < pattern.length && pattern[p] == '*') {
      p++;
    }
    return p == pattern.length;
  }

  /** Matches one byte; returns where the pattern goes on, or -1. */
  private int one(int p, byte b) {
    return switch (pattern[p]) {
      case '?' -> p + 1;
      case '[' -> set(p + 1, b & 0xff);
      case '\\' -> escaped(p + 1 < pattern.length ? p + 1 : p, b);
      default -> escaped(p, b);
    };
  }

  /** A byte that means itself. */
  private int escaped(int p, byte b) {
    return pattern[p] == b ? p + 1 : -1;
  }

  private int set(int start, int b) {
    int p = start;
    boolean not = p < pattern.length && pattern[p] == '^';
    if (not) {
      p++;
    }
    boolean in = false;
    while (p < pattern.length && pattern[p] != ']') {
      if (pattern[p] == '\\' && p + 1 < pattern.length) {
        in |= (pattern[p + 1] & 0xff) == b;
        p += 2;
      } else if (p + 2 < pattern.length && pattern[p + 1] == '-') {
        int from = pattern[p] & 0xff;
        int to = pattern[p + 2] & 0xff;
        in |= Math.min(from, to) <= b && b <= Math.max(from, to);
        p += 3;
      } else {
        in |= (pattern[p] & 0xff) == b;
        p++;
      }
    }
    if (in == not) {
      return -1;
    }
    return Math.min(p + 1, pattern.length); // a set that is not closed ends with the pattern
  }
}
