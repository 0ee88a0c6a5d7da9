package dev.mely.examples.service;

import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/**
 * Recognizes HTTP where another protocol is expected (cross-protocol request forgery). Any web page
 * can make a browser post text to any port that the browser reaches, loopback included; a server
 * that answers each header line with an error would then execute the body. So the first line of
 * HTTP closes the connection.
 */
public final class Http {
  /** The answer; a browser does not show it to the page. */
  public static final String REFUSAL = "this is HTTP";

  /**
   * A request line of any method and version; a Host field, which every browser sends; or the first
   * bytes of TLS, whose later bytes an attacker's server can choose.
   */
  private static final Pattern LINE =
      Pattern.compile(
          "\\S+\\s(.*\\s)?HTTP/\\d(\\.\\d)?\\s*|\\s*Host\\s*:.*|\\x16\\x03.*",
          Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

  private Http() {}

  /** Tells whether a line looks like the start of HTTP or TLS. */
  public static boolean isLine(String line) {
    return LINE.matcher(line).matches();
  }

  /**
   * Tells the same of a part of an array, without the line end.
   *
   * @param from the first byte
   * @param to after the last byte
   */
  public static boolean isLine(byte[] in, int from, int to) {
    return isLine(new String(in, from, to - from, StandardCharsets.ISO_8859_1));
  }

  /** Tells whether a command's first word is one of the two that Redis takes for HTTP. */
  public static boolean isCommand(String word) {
    return word.equalsIgnoreCase("post") || word.equalsIgnoreCase("host:");
  }
}
