package dev.mely.examples.http;

/** Checks a host and port, as the {@code Host} header and a target may give them (RFC 3986). */
public final class HostPort {
  private static final int MAX_PORT = 65_535;
  private static final String PLAIN = "-._~!$&'()*+,;=";

  private HostPort() {}

  /**
   * Returns whether a text is a host, possibly empty, and perhaps a colon and a port.
   *
   * @param text as it was sent
   * @return false for anything else; no user may stand before the host
   */
  public static boolean isValid(String text) {
    int end;
    if (text.startsWith("[")) {
      end = text.indexOf(']') + 1;
      if (end < 4 || !isAddress(text, end - 1)) {
        return false;
      }
    } else {
      end = text.indexOf(':') < 0 ? text.length() : text.indexOf(':');
      if (!isName(text, end)) {
        return false;
      }
    }
    return end == text.length() || (text.charAt(end) == ':' && isPort(text, end + 1));
  }

  private static boolean isName(String text, int end) {
    for (int i = 0; i < end; i++) {
      char c = text.charAt(i);
      if (c == '%') {
        if (i + 2 >= end
            || !Characters.isHex(text.charAt(i + 1))
            || !Characters.isHex(text.charAt(i + 2))) {
          return false;
        }
        i += 2;
      } else if (!Characters.isLetterOrDigit(c) && PLAIN.indexOf(c) < 0) {
        return false;
      }
    }
    return true;
  }

  /** Version 6, or what may come after it; the system is never asked for the address. */
  private static boolean isAddress(String text, int end) {
    for (int i = 1; i < end; i++) {
      char c = text.charAt(i);
      if (!Characters.isLetterOrDigit(c) && c != ':' && PLAIN.indexOf(c) < 0) {
        return false;
      }
    }
    return true;
  }

  private static boolean isPort(String text, int from) {
    int port = 0;
    for (int i = from; i < text.length(); i++) {
      char c = text.charAt(i);
      if (!Characters.isDigit(c)) {
        return false;
      }
      port = Math.min(port * 10 + (c - '0'), MAX_PORT + 1);
    }
    return port <= MAX_PORT;
  }
}
