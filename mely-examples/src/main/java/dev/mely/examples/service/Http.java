package dev.mely.examples.service;

import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/**
 * Recognizes HTTP where another protocol is spoken. Any web page can make a browser post a form, or
 * a text, to any port that the browser's user reaches, loopback included; a server that answers the
 * header line by line with errors then does what the body says. So the first line of HTTP ends the
 * connection, before anything is done.
 */
public final class Http {
  /** What a client is told; a browser keeps it from the page. */
  public static final String REFUSAL = "this is HTTP";

  /**
   * A request line, of any method and version; a Host field, which every browser sends; the first
   * bytes of TLS, in which a server that the page's author controls can place what it likes.
   */
  private static final Pattern LINE =
      Pattern.compile(
          "\\S+\\s(.*\\s)?HTTP/\\d(\\.\\d)?\\s*|\\s*Host\\s*:.*|\\x16\\x03.*",
          Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

  private Http() {}

  /** Tells whether a line is one that only HTTP, or TLS, begins with. */
  public static boolean isLine(String line) {
    return LINE.matcher(line).matches();
  }

  /**
   * Tells the same of a part of an array, without the end of the line.
   *
   * @param from the first byte
   * @param to behind the last byte
   */
  public static boolean isLine(byte[] in, int from, int to) {
    return isLine(new String(in, from, to - from, StandardCharsets.ISO_8859_1));
  }

  /** Tells whether a command's first word is one of the two that Redis takes for HTTP. */
  public static boolean isCommand(String word) {
    return word.equalsIgnoreCase("post") || word.equalsIgnoreCase("host:");
  }
}
