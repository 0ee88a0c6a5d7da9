package dev.mely.examples.proxy;

import java.util.List;

/** Entity tags and their comparison (RFC 9110, section 8.8.3). */
final class EntityTags {
  private static final String WEAK = "W/";

  private EntityTags() {}

  /** Whether a text is one tag and nothing else. */
  static boolean isTag(String text) {
    String opaque = opaque(text);
    return opaque.length() >= 2
        && opaque.startsWith("\"")
        && opaque.indexOf('"', 1) == opaque.length() - 1
        && opaque.indexOf(' ') < 0
        && opaque.indexOf('\t') < 0;
  }

  private static String opaque(String tag) {
    return tag.startsWith(WEAK) ? tag.substring(WEAK.length()) : tag;
  }

  /** Whether two tags name the same, as far as a cache is concerned: the weak comparison. */
  static boolean areEqual(String one, String other) {
    return opaque(one).equals(opaque(other));
  }

  /** Whether the lines of If-None-Match name a tag, or any. */
  static boolean name(List<String> lines, String tag) {
    for (String line : lines) {
      int at = 0;
      while (at < line.length()) {
        char c = line.charAt(at);
        if (c == ' ' || c == '\t' || c == ',') {
          at++;
          continue;
        }
        if (c == '*') {
          return true;
        }
        int open = line.startsWith(WEAK, at) ? at + WEAK.length() : at;
        int close = line.startsWith("\"", open) ? line.indexOf('"', open + 1) : -1;
        if (close < 0) {
          break; // no tag: the rest of this line says nothing
        }
        if (areEqual(line.substring(at, close + 1), tag)) {
          return true;
        }
        at = close + 1;
      }
    }
    return false;
  }
}
