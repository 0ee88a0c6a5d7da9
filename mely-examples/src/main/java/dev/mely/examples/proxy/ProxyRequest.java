package dev.mely.examples.proxy;

import dev.mely.examples.http.BodyReader;
import dev.mely.examples.http.HeadReader;
import dev.mely.examples.http.Header;
import dev.mely.examples.http.Malformed;
import dev.mely.examples.http.RequestLine;
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
  static ProxyRequest parse(HeadReader.Head<RequestLine> head, String self) throws Failure {
    RequestLine line = head.start();
    String method = line.method();
    int minor = line.minor();
    if (line.major() != 1) {
      throw new Failure(505, "Only HTTP/1.0 and HTTP/1.1 are spoken.");
    }
    Header header = head.header();
    String hostFault = header.hostFault(minor);
    if (hostFault != null) {
      throw new Failure(400, hostFault);
    }
    boolean body = hasBody(header, minor);
    boolean connect = method.equals("CONNECT");
    if (!connect && !method.equals("GET") && !method.equals("HEAD")) {
      throw new Failure(501, "Only GET, HEAD and CONNECT are done.");
    }
    if (body) {
      throw new Failure(413, "Requests with a body are not forwarded.");
    }
    String expect = header.get("expect");
    if (expect != null && !expect.equalsIgnoreCase("100-continue")) {
      throw new Failure(417, "Nothing but '100-continue' can be expected.");
    }
    if (Via.names(header, self)) {
      throw new Failure(508, "The request has come through here before.");
    }
    Target target = connect ? Target.authority(line.target()) : Target.absolute(line.target());
    // Connections of HTTP/1.0 are never kept by proxies (RFC 9112, appendix C.2.2).
    boolean keepAlive = minor > 0 && !header.tokens("connection").contains("close");
    CacheControl wishes =
        header.hidesFields() ? CacheControl.NOTHING_CACHED : CacheControl.ofRequest(header);
    return new ProxyRequest(
        method, target, minor, header.endToEnd().without(NOT_PASSED_ON), wishes, keepAlive);
  }

  /** Whether there is a body whose end is beyond doubt; where it is not, the request is refused. */
  private static boolean hasBody(Header header, int minor) throws Failure {
    boolean empty;
    try {
      empty = BodyReader.ofRequest(header).isComplete();
    } catch (Malformed doubtful) {
      throw Failure.of(doubtful);
    }
    List<String> codings = header.all("transfer-encoding");
    if (!codings.isEmpty() && minor != 1) {
      throw new Failure(400, "The end of the body cannot be found.");
    }
    if (!codings.isEmpty()
        && (codings.size() != 1 || !codings.get(0).equalsIgnoreCase("chunked"))) {
      throw new Failure(501, "Only the transfer coding 'chunked' is understood.");
    }
    return !empty;
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
