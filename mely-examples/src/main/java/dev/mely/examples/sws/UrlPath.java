package dev.mely.examples.sws;

import dev.mely.examples.http.Characters;
import dev.mely.examples.http.HostPort;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The path of a request target, decoded once and split into names.
 *
 * @param names the names from the root down, none of them empty, {@code .} or {@code ..}
 * @param slash whether the target ends in a slash, which requests a directory
 */
record UrlPath(List<String> names, boolean slash) {
  private static final String HEX = "0123456789ABCDEF";

  /**
   * Characters that need no encoding in a segment. Not the colon: a name could look like a scheme.
   */
  private static final String PLAIN = "-._~!$&()*+,;=@";

  UrlPath {
    names = List.copyOf(names);
  }

  /**
   * Parses a request target.
   *
   * @throws Refusal if it is not a path, is badly encoded, or climbs with {@code ..}
   */
  static UrlPath parse(String target) throws Refusal {
    String path = decode(pathOf(target));
    List<String> names = new ArrayList<>();
    boolean slash = true;
    for (String name : path.substring(1).split("/", -1)) {
      if (name.equals("..")) {
        throw Refusal.of(Status.FORBIDDEN, "A path may not go up with '..'.");
      }
      slash = name.isEmpty() || name.equals(".");
      if (!slash) {
        names.add(name);
      }
    }
    return new UrlPath(names, slash);
  }

  /** The part of the target between authority and query. */
  private static String pathOf(String target) throws Refusal {
    if (target.chars().anyMatch(c -> c <= ' ' || c == 0x7f)) {
      // Also in the query, which a redirect sends back.
      throw malformed("The request target contains a control character.");
    }
    if (target.indexOf('#') >= 0) {
      throw malformed("A request target has no fragment.");
    }
    int query = target.indexOf('?');
    String path = query < 0 ? target : target.substring(0, query);
    return path.startsWith("/") ? path : afterAuthority(path);
  }

  /** The path of an absolute URI (RFC 9112, section 3.2.2), whose query has been cut off. */
  private static String afterAuthority(String uri) throws Refusal {
    int authority = uri.indexOf("://") + 3;
    String scheme = authority < 3 ? "" : uri.substring(0, authority - 3);
    if (scheme.equalsIgnoreCase("https")) {
      // RFC 9110, section 7.4: this connection has no TLS.
      throw Refusal.of(Status.MISDIRECTED_REQUEST, "This connection does not use TLS.");
    }
    if (!scheme.equalsIgnoreCase("http")) {
      throw malformed("The request target is not a path.");
    }
    int slash = uri.indexOf('/', authority);
    String hostPort = uri.substring(authority, slash < 0 ? uri.length() : slash);
    if (hostPort.isEmpty() || hostPort.startsWith(":") || !HostPort.isValid(hostPort)) {
      throw malformed("The request target names no host, or not a valid one.");
    }
    return slash < 0 ? "/" : uri.substring(slash);
  }

  private static String decode(String path) throws Refusal {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(path.length());
    for (int i = 0; i < path.length(); i++) {
      int b = path.charAt(i);
      boolean encoded = b == '%';
      if (encoded) {
        if (i + 2 >= path.length()
            || !Characters.isHex(path.charAt(i + 1))
            || !Characters.isHex(path.charAt(i + 2))) {
          throw malformed("A percent sign must be followed by two hexadecimal digits.");
        }
        b = Integer.parseInt(path, i + 1, i + 3, 16);
        i += 2;
      }
      if (b < ' ' || b == 0x7f || b == '\\' || b > 0xff || (encoded && b == '/')) {
        throw malformed("The path contains a character that no file name can contain.");
      }
      bytes.write(b);
    }
    try {
      // Reports overlong forms, surrogates and truncated sequences instead of replacing them.
      return StandardCharsets.UTF_8
          .newDecoder()
          .decode(ByteBuffer.wrap(bytes.toByteArray()))
          .toString();
    } catch (CharacterCodingException notUtf8) {
      throw malformed("The path is not UTF-8.");
    }
  }

  private static Refusal malformed(String reason) {
    return Refusal.of(Status.BAD_REQUEST, reason);
  }

  /** The path in canonical form; begins with exactly one slash. */
  String canonical() {
    StringBuilder url = new StringBuilder();
    for (String name : names) {
      url.append('/').append(encode(name));
    }
    return slash || names.isEmpty() ? url.append('/').toString() : url.toString();
  }

  /** The names, and one more at the end. */
  List<String> below(String name) {
    List<String> longer = new ArrayList<>(names);
    longer.add(name);
    return longer;
  }

  /** The path for display. */
  String text() {
    String path = '/' + String.join("/", names);
    return slash && !names.isEmpty() ? path + '/' : path;
  }

  /** One file name as a path segment. */
  static String encode(String name) {
    StringBuilder segment = new StringBuilder(name.length() + 8);
    for (byte b : name.getBytes(StandardCharsets.UTF_8)) {
      char c = (char) (b & 0xff);
      if (Characters.isLetterOrDigit(c) || PLAIN.indexOf(c) >= 0) {
        segment.append(c);
      } else {
        segment.append('%').append(HEX.charAt(c >> 4)).append(HEX.charAt(c & 0xf));
      }
    }
    return segment.toString();
  }
}
