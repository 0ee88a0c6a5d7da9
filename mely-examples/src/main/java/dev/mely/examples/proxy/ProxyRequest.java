package dev.mely.examples.proxy;

import dev.mely.examples.sws.HostPort;
import java.util.List;
import java.util.Set;

/**
 * A request that the proxy may answer. It has no body: one that has is refused, so that nothing can
 * be hidden behind it.
 *
 * @param method GET, HEAD or CONNECT
 * @param target where it is to go
 * @param minor the version in which it came: 0 for HTTP/1.0
 * @param header what is passed on: no hop-by-hop field, no Host
 * @param wishes its Cache-Control
 * @param keepAlive whether the connection stays open after the response
 */
record ProxyRequest(
    String method,
    Target target,
    int minor,
    Header header,
    CacheControl wishes,
    boolean keepAlive) {
  private static final String VERSION = "HTTP/";
  private static final Set<String> NOT_PASSED_ON = Set.of("host", "content-length", "expect");

  /**
   * Conditions that only the origin weighs, parts of what the cache has as a whole, and what says
   * who asks.
   */
  private static final List<String> PAST_THE_CACHE =
      List.of("range", "if-range", "if-match", "if-unmodified-since", "cookie");

  /**
   * Reads a head.
   *
   * @param self the name under which this proxy writes itself in Via
   */
  static ProxyRequest parse(HeadReader.Head head, String self) throws Failure.Refused {
    String line = head.start();
    int first = line.indexOf(' ');
    int last = line.lastIndexOf(' ');
    if (first <= 0
        || last <= first + 1
        || line.indexOf(' ', first + 1) != last
        || !isVersion(line.substring(last + 1))) {
      throw wrong("The first line must be a method, a target and a version.");
    }
    String method = line.substring(0, first);
    if (!Header.isToken(method)) {
      throw wrong("The method is none.");
    }
    if (line.charAt(last + 1 + VERSION.length()) != '1') {
      throw new Failure.Refused(Failure.versionNotSupported());
    }
    int minor = line.charAt(line.length() - 1) - '0';
    Header header = head.header();
    checkHost(header, minor);
    boolean body = hasBody(header, minor);
    boolean connect = method.equals("CONNECT");
    if (!connect && !method.equals("GET") && !method.equals("HEAD")) {
      throw new Failure.Refused(Failure.notImplemented("Only GET, HEAD and CONNECT are done."));
    }
    if (body) {
      throw new Failure.Refused(Failure.contentTooLarge());
    }
    String expect = header.get("expect");
    if (expect != null && !expect.equalsIgnoreCase("100-continue")) {
      throw new Failure.Refused(Failure.expectationFailed());
    }
    if (Via.names(header, self)) {
      throw new Failure.Refused(Failure.loop());
    }
    String text = line.substring(first + 1, last);
    Target target = connect ? Target.authority(text) : Target.absolute(text);
    // Connections of HTTP/1.0 are never kept by proxies (RFC 9112, appendix C.2.2).
    boolean keepAlive = minor > 0 && !header.tokens("connection").contains("close");
    CacheControl wishes =
        header.hidesFields() ? CacheControl.NOTHING_CACHED : CacheControl.ofRequest(header);
    return new ProxyRequest(
        method, target, minor, header.endToEnd().without(NOT_PASSED_ON), wishes, keepAlive);
  }

  private static boolean isVersion(String text) {
    return text.length() == VERSION.length() + 3
        && text.startsWith(VERSION)
        && isDigit(text.charAt(VERSION.length()))
        && text.charAt(VERSION.length() + 1) == '.'
        && isDigit(text.charAt(VERSION.length() + 2));
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  private static void checkHost(Header header, int minor) throws Failure.Refused {
    List<String> hosts = header.all("host");
    if (hosts.size() > 1 || (hosts.isEmpty() && minor > 0)) {
      throw wrong("A request must have one Host header.");
    }
    if (!hosts.isEmpty() && !HostPort.isValid(hosts.get(0))) {
      throw wrong("The Host header is not a host and a port.");
    }
  }

  /** Whether there is a body whose end is beyond doubt; where it is not, the request is refused. */
  private static boolean hasBody(Header header, int minor) throws Failure.Refused {
    List<String> codings = header.all("transfer-encoding");
    List<String> lengths = header.all("content-length");
    if (!codings.isEmpty()) {
      if (minor != 1 || !lengths.isEmpty()) {
        throw wrong("The end of the body cannot be found.");
      }
      if (codings.size() != 1 || !codings.get(0).equalsIgnoreCase("chunked")) {
        throw new Failure.Refused(
            Failure.notImplemented("Only the transfer coding 'chunked' is understood."));
      }
      return true;
    }
    if (lengths.isEmpty()) {
      return false;
    }
    long length = lengths.size() == 1 ? OriginResponse.length(lengths.get(0)) : -1;
    if (length < 0) {
      throw wrong("The length of the body is no number, or there are several.");
    }
    return length > 0;
  }

  private static Failure.Refused wrong(String text) {
    return new Failure.Refused(Failure.badRequest(text));
  }

  boolean isHead() {
    return method.equals("HEAD");
  }

  boolean isConnect() {
    return method.equals("CONNECT");
  }

  /** Whether the origin answers this, whatever the cache has. */
  boolean goesPastTheCache() {
    return PAST_THE_CACHE.stream().anyMatch(header::contains);
  }

  /** Whether the client has a copy of its own, and asks whether it is still good. */
  boolean isConditional() {
    return header.contains("if-none-match") || header.contains("if-modified-since");
  }
}
