package dev.mely.examples.http;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A host and a port, as in the {@code Host} field and in a target (RFC 3986), without user
 * information.
 *
 * @param host as sent, possibly empty; an IPv6 (or later) literal in brackets
 * @param port 0 to 65535; negative if none was sent
 */
public record HostPort(String host, int port) {
  private static final int MAX_PORT = 65_535;
  private static final String PLAIN = "-A-Za-z0-9._~!$&'()*+,;=";

  /** Possessive quantifiers: no backtracking, so no stack overflow on a long text. */
  private static final Pattern GRAMMAR =
      Pattern.compile(
          "((?:["
              + PLAIN
              + "]++|%[0-9A-Fa-f]{2})*+|\\[["
              + PLAIN
              + ":]{2,}+])"
              + "(?::(0*+[0-9]{0,5}+))?+");

  /** Parses a host with an optional port; null if the text is something else. */
  public static @Nullable HostPort parse(String text) {
    Matcher parts = GRAMMAR.matcher(text);
    if (!parts.matches()) {
      return null;
    }
    String digits = parts.group(2);
    int port = digits == null || digits.isEmpty() ? -1 : Integer.parseInt(digits);
    return port > MAX_PORT ? null : new HostPort(parts.group(1), port);
  }

  /** Tells whether a text is a host with an optional port. */
  public static boolean isValid(String text) {
    return parse(text) != null;
  }
}
