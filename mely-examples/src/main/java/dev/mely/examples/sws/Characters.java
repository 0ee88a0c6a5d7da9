package dev.mely.examples.sws;

/** Kinds of characters in HTTP (RFC 9110, section 5.6). */
public final class Characters {
  private static final String TOKEN = "!#$%&'*+-.^_`|~";

  private Characters() {}

  /**
   * Returns whether the names of methods and fields consist of such characters.
   *
   * @param c any character
   * @return true for those of a token
   */
  public static boolean isToken(char c) {
    boolean plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    return plain || TOKEN.indexOf(c) >= 0;
  }

  /**
   * Returns whether a character is a space or a tabulator.
   *
   * @param c any character
   * @return true for one of these two
   */
  public static boolean isBlank(char c) {
    return c == ' ' || c == '\t';
  }
}
