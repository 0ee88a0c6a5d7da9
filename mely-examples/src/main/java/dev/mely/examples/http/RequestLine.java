package dev.mely.examples.http;

/**
 * The first line of a request (RFC 9112, section 3).
 *
 * @param method a token
 * @param target without blanks and control characters
 * @param major major version: 2 for HTTP/2.0
 * @param minor minor version: 0 for HTTP/1.0
 */
public record RequestLine(String method, String target, int major, int minor) {
  private static final String VERSION = "HTTP/";

  /**
   * Reads three words with one space between them.
   *
   * @throws Malformed if it is anything else
   */
  public static RequestLine parse(String line) throws Malformed {
    String[] words = line.split(" ", 4);
    if (words.length != 3
        || !Characters.isToken(words[0])
        || !isTarget(words[1])
        || !isVersion(words[2])) {
      throw new Malformed("the first line is not a method, a target and a version");
    }
    int major = words[2].charAt(VERSION.length()) - '0';
    int minor = words[2].charAt(VERSION.length() + 2) - '0';
    return new RequestLine(words[0], words[1], major, minor);
  }

  private static boolean isTarget(String text) {
    return !text.isEmpty() && Characters.all(text, c -> c > ' ' && c != 0x7f);
  }

  private static boolean isVersion(String text) {
    return text.length() == VERSION.length() + 3
        && text.startsWith(VERSION)
        && Characters.isDigit(text.charAt(VERSION.length()))
        && text.charAt(VERSION.length() + 1) == '.'
        && Characters.isDigit(text.charAt(VERSION.length() + 2));
  }

  /** Whether only the header of the response is wanted. */
  public boolean isHead() {
    return method.equals("HEAD");
  }
}
