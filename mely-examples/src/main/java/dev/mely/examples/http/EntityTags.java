package dev.mely.examples.http;

import java.util.List;

/** Entity tags and their comparison (RFC 9110, section 8.8.3). */
public final class EntityTags {
  /** The prefix of a weak tag. */
  public static final String WEAK = "W/";

  private EntityTags() {}

  /** Whether a text is exactly one tag. */
  public static boolean isTag(String text) {
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

  /** The weak comparison, which is enough for a cache. */
  public static boolean areEqual(String one, String other) {
    return opaque(one).equals(opaque(other));
  }

  /**
   * Whether the lines of If-Match or If-None-Match contain a tag, or {@code *}.
   *
   * @param weakly whether to use the weak comparison
   */
  public static boolean name(List<String> lines, String tag, boolean weakly) {
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
          break; // not a tag: ignore the rest of this line
        }
        String other = line.substring(at, close + 1);
        if (weakly ? areEqual(other, tag) : other.equals(tag) && !other.startsWith(WEAK)) {
          return true;
        }
        at = close + 1;
      }
    }
    return false;
  }
}
