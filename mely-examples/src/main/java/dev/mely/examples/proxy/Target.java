package dev.mely.examples.proxy;

import dev.mely.examples.sws.HostPort;
import java.util.Locale;

/**
 * Where a request is to go.
 *
 * @param host a name in lower case, or an address; without the brackets of version 6
 * @param port 1 to 65535
 * @param path path and query as they were written, never empty; a slash for CONNECT
 */
record Target(String host, int port, String path) {
  private static final String SCHEME = "http://";
  private static final int HTTP_PORT = 80;
  private static final int MAX_HOST = 255;

  /** Reads the absolute form, which is what proxies are asked in (RFC 9112, section 3.2.2). */
  static Target absolute(String text) throws Failure.Refused {
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) <= ' ' || text.charAt(i) >= 0x7f || text.charAt(i) == '#') {
        throw wrong("The target has a character in it that must be encoded.");
      }
    }
    if (!text.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
      throw wrong("This is a proxy for http://; it must be asked for a whole URL.");
    }
    int from = SCHEME.length();
    int end = from;
    while (end < text.length() && text.charAt(end) != '/' && text.charAt(end) != '?') {
      end++;
    }
    String path = text.substring(end);
    return authority(
        text.substring(from, end), HTTP_PORT, path.startsWith("/") ? path : "/" + path);
  }

  /** Reads the authority form, which CONNECT has: host and port. */
  static Target authority(String text) throws Failure.Refused {
    return authority(text, 0, "/");
  }

  private static Target authority(String text, int usualPort, String path) throws Failure.Refused {
    if (!HostPort.isValid(text)) {
      throw wrong("The target is not a host and a port.");
    }
    int colon = text.startsWith("[") ? text.indexOf(']') + 1 : text.indexOf(':');
    int hostEnd = colon < 0 ? text.length() : colon;
    String digits = hostEnd < text.length() ? text.substring(hostEnd + 1) : "";
    int port = digits.isEmpty() ? usualPort : port(digits);
    boolean literal = text.startsWith("[");
    String host = literal ? text.substring(1, hostEnd - 1) : text.substring(0, hostEnd);
    if (port == 0 || !isHost(host, literal)) {
      throw wrong("The target is not a host that can be looked up, and a port.");
    }
    return new Target(host.toLowerCase(Locale.ROOT), port, path);
  }

  /** Zeros may stand before it, any number of them. */
  private static int port(String digits) {
    int port = 0;
    for (int i = 0; i < digits.length(); i++) {
      port = port * 10 + (digits.charAt(i) - '0'); // no more than 65535, as HostPort has seen
    }
    return port;
  }

  private static boolean isHost(String host, boolean literal) {
    for (int i = 0; i < host.length(); i++) {
      char c = host.charAt(i);
      boolean hex = HostPort.isHex(c);
      boolean letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
      boolean right = literal ? hex || c == ':' || c == '.' : letter || "-._".indexOf(c) >= 0;
      if (!right) {
        return false;
      }
    }
    return !host.isEmpty() && host.length() <= MAX_HOST;
  }

  private static Failure.Refused wrong(String text) {
    return new Failure.Refused(Failure.badRequest(text));
  }

  /** Host and port as the Host field has them. */
  String hostField() {
    String name = host.indexOf(':') >= 0 ? "[" + host + "]" : host;
    return port == HTTP_PORT ? name : name + ":" + port;
  }

  /** What two requests for the same thing have in common (RFC 9111, section 2). */
  String key() {
    return SCHEME + hostField() + path;
  }

  boolean hasQuery() {
    return path.indexOf('?') >= 0;
  }
}
