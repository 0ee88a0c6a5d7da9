package dev.mely.examples.proxy;

import dev.mely.examples.http.Characters;
import dev.mely.examples.http.HostPort;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The destination of a request.
 *
 * @param host a name in lower case, or an address; IPv6 without brackets
 * @param port 1 to 65535
 * @param path path and query as sent, never empty; a slash for CONNECT
 */
record Target(String host, int port, String path) {
  private static final String SCHEME = "http://";
  private static final int HTTP_PORT = 80;
  private static final Pattern ABSOLUTE =
      Pattern.compile(SCHEME + "([^/?]*+)(.*+)", Pattern.CASE_INSENSITIVE);
  private static final String BYTE = "(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])";
  private static final Pattern VERSION_4 = Pattern.compile(BYTE + "(\\." + BYTE + "){3}");
  private static final Pattern NAME = Pattern.compile("[a-z0-9._-]{1,255}");
  private static final Pattern NUMBER = Pattern.compile("[0-9]+|0x[0-9a-f]*");

  /** Parses the absolute form, used in requests to proxies (RFC 9112, section 3.2.2). */
  static Target absolute(String text) throws Failure {
    if (text.chars().anyMatch(c -> c <= ' ' || c >= 0x7f || c == '#')) {
      throw new Failure(400, "The target contains a character that must be encoded.");
    }
    Matcher url = ABSOLUTE.matcher(text);
    if (!url.matches()) {
      throw new Failure(400, "This is a proxy for http://; the target must be a complete URL.");
    }
    String path = url.group(2);
    return authority(url.group(1), HTTP_PORT, path.startsWith("/") ? path : "/" + path);
  }

  /** Parses the authority form of CONNECT: host and port. */
  static Target authority(String text) throws Failure {
    return authority(text, 0, "/");
  }

  private static Target authority(String text, int usualPort, String path) throws Failure {
    HostPort parts = HostPort.parse(text);
    if (parts == null) {
      throw new Failure(400, "The target is not a host and a port.");
    }
    boolean bracketed = parts.host().startsWith("[");
    String name = parts.host().toLowerCase(Locale.ROOT);
    String host = bracketed ? name.substring(1, name.length() - 1) : name;
    int port = parts.port() < 0 ? usualPort : parts.port();
    if (port == 0 || !(bracketed ? isVersion6(host) : NAME.matcher(host).matches())) {
      throw new Failure(400, "The target is not a host that can be looked up, and a port.");
    }
    if (!bracketed && endsInNumber(host) && !VERSION_4.matcher(host).matches()) {
      throw new Failure(
          403,
          "An address must be written as four numbers from 0 to 255, without leading"
              + " zeros and without a final dot: others may read this one differently.");
    }
    return new Target(host, port, path);
  }

  private static boolean isVersion6(String host) {
    return host.indexOf(':') >= 0 && address(host) != null;
  }

  /** Whether programs may take a host for one of the many forms of IPv4 addresses. */
  private static boolean endsInNumber(String host) {
    String bare = host.endsWith(".") ? host.substring(0, host.length() - 1) : host;
    return NUMBER.matcher(bare.substring(bare.lastIndexOf('.') + 1)).matches();
  }

  /** Parses an address in its usual form, without brackets; null if it is not one. */
  static @Nullable InetAddress address(String text) {
    boolean version6 =
        text.chars().allMatch(c -> c == ':' || c == '.' || Characters.isHex((char) c));
    boolean looksUp = text.startsWith("."); // Java takes that for a name
    if (!VERSION_4.matcher(text).matches() && !(version6 && text.indexOf(':') >= 0 && !looksUp)) {
      return null;
    }
    try {
      return InetAddress.getByName(text); // does not look up
    } catch (UnknownHostException e) {
      return null;
    }
  }

  /** The host, if it is an address; null if it is a name, which must be looked up. */
  @Nullable InetAddress address() {
    return address(host);
  }

  /** Host and port as in the Host field. */
  String hostField() {
    String name = host.indexOf(':') >= 0 ? "[" + host + "]" : host;
    return port == HTTP_PORT ? name : name + ":" + port;
  }

  /** The cache key (RFC 9111, section 2). */
  String key() {
    return SCHEME + hostField() + path;
  }

  boolean hasQuery() {
    return path.indexOf('?') >= 0;
  }
}
