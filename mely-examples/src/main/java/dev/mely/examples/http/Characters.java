package dev.mely.examples.http;

import java.util.function.IntPredicate;

/** Kinds of characters in HTTP (RFC 9110, section 5.6). */
public final class Characters {
  private static final String TOKEN = "!#$%&'*+-.^_`|~";

  private Characters() {}

  /** Tells whether all characters are of a kind. A loop, not a stream: it runs for each line. */
  static boolean all(String text, IntPredicate kind) {
    for (int i = 0; i < text.length(); i++) {
      if (!kind.test(text.charAt(i))) {
        return false;
      }
    }
    return true;
  }

  static boolean isToken(char c) {
    return isLetterOrDigit(c) || TOKEN.indexOf(c) >= 0;
  }

  /** Tells whether a text may be the name of a method or a field. */
  public static boolean isToken(String text) {
    return !text.isEmpty() && all(text, c -> isToken((char) c));
  }

  /** Tells whether a text has no control characters, which could end its line or hide a part. */
  static boolean isText(String text) {
    return all(text, c -> (c >= ' ' && c != 0x7f) || c == '\t');
  }

  /** Tells whether a text is a number without a sign. */
  public static boolean isNumber(String text) {
    return !text.isEmpty() && all(text, c -> isDigit((char) c));
  }

  static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  /** Tells whether this is a letter or a digit of ASCII. */
  public static boolean isLetterOrDigit(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || isDigit(c);
  }

  static boolean isBlank(char c) {
    return c == ' ' || c == '\t';
  }

  /**
   * Tells whether this is an ASCII hexadecimal digit; {@link Character#digit} accepts others, too.
   */
  public static boolean isHex(char c) {
    return isDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
  }
}
