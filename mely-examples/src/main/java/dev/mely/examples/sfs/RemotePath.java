package dev.mely.examples.sfs;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A self-certifying path: {@code sfs://KEY@HOST:PORT/PATH}. The path contains the server's public
 * key, so that no third party has to certify the server (D. Mazières et al., SOSP 1999, section
 * 2.1; there the path has a hash of the key, since keys were long).
 *
 * @param server the key that the server must have
 * @param host a name or an address, without brackets
 * @param port of the server
 * @param path below the served folder, without a slash before it; empty: the folder itself
 */
record RemotePath(PublicId server, String host, int port, String path) {
  static final int DEFAULT_PORT = 4430;
  private static final Pattern FORM =
      Pattern.compile(
          "sfs://([^@/]+)@(\\[[0-9A-Fa-f:.%a-z]+]|[^:/@\\[\\]]+)(?::(\\d{1,5}))?(?:/(.*?))?/*",
          Pattern.DOTALL); // names may contain line feeds

  /**
   * Parses a path.
   *
   * @throws IllegalArgumentException if it is not one; the message says why
   */
  static RemotePath parse(String text) {
    Matcher match = FORM.matcher(text);
    if (!match.matches()) {
      throw new IllegalArgumentException(
          "not a path of the form sfs://KEY@HOST:PORT/PATH: '" + text + "'");
    }
    String host = match.group(2);
    if (host.startsWith("[")) {
      host = host.substring(1, host.length() - 1);
    }
    int port = match.group(3) == null ? DEFAULT_PORT : Integer.parseInt(match.group(3));
    if (port < 1 || port > 65_535) {
      throw new IllegalArgumentException("no port: " + port);
    }
    String path = match.group(4) == null ? "" : match.group(4);
    return new RemotePath(PublicId.parse(match.group(1)), host, port, path);
  }

  RemotePath withPath(String newPath) {
    return new RemotePath(server, host, port, newPath);
  }

  /** The last name of the path; empty for the folder itself. */
  String name() {
    return path.substring(path.lastIndexOf('/') + 1);
  }

  @Override
  public String toString() {
    String at = host.contains(":") ? "[" + host + "]" : host;
    return "sfs://" + server + "@" + at + ":" + port + "/" + path;
  }
}
