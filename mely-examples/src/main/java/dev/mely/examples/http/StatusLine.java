package dev.mely.examples.http;

/**
 * The first line of a response (RFC 9112, section 4).
 *
 * @param status 100 to 599
 * @param reason the reason phrase, possibly empty
 * @param minor minor version: 0 for HTTP/1.0
 */
public record StatusLine(int status, String reason, int minor) {
  /**
   * Parses a status line; the space before an empty reason may be missing.
   *
   * @throws Malformed if it is anything else
   */
  public static StatusLine parse(String line) throws Malformed {
    boolean right =
        line.length() >= 12
            && line.startsWith("HTTP/1.")
            && Characters.isDigit(line.charAt(7))
            && line.charAt(8) == ' '
            && Characters.isNumber(line.substring(9, 12))
            && (line.length() == 12 || line.charAt(12) == ' ');
    int status = right ? Integer.parseInt(line.substring(9, 12)) : 0;
    String reason = line.length() > 13 ? line.substring(13) : "";
    if (!right || status < 100 || status > 599 || !Characters.isText(reason)) {
      throw new Malformed("there is no status line");
    }
    return new StatusLine(status, reason, line.charAt(7) - '0');
  }
}
