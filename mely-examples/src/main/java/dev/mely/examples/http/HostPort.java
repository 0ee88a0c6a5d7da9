package dev.mely.examples.http;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A host and a port, as the {@code Host} header and a target may give them (RFC 3986); no user may
 * stand before them.
 *
 * @param host as it was sent, possibly empty; one of version 6, or what may come after it, in
 *     brackets
 * @param port 0 to 65535; negative: none was sent
 */
public record HostPort(String host, int port) {
  private static final int MAX_PORT = 65_535;
  private static final String PLAIN = "-A-Za-z0-9._~!$&'()*+,;=";

  /** Each repetition keeps what it has taken, and so needs no stack, however long the text is. */
  private static final Pattern GRAMMAR =
      Pattern.compile(
          "((?:["
              + PLAIN
              + "]++|%[0-9A-Fa-f]{2})*+|\\[["
              + PLAIN
              + ":]{2,}+])"
              + "(?::(0*+[0-9]{0,5}+))?+");

  /** Reads both; null: it is something else. */
  public static @Nullable HostPort parse(String text) {
    Matcher parts = GRAMMAR.matcher(text);
    if (!parts.matches()) {
      return null;
    }
    String digits = parts.group(2);
    int port = digits == null || digits.isEmpty() ? -1 : Integer.parseInt(digits);
    return port > MAX_PORT ? null : new HostPort(parts.group(1), port);
  }

  /** Tells whether a text is both, or a host alone. */
  public static boolean isValid(String text) {
    return parse(text) != null;
  }
}
