package dev.mely.examples.proxy;

import dev.mely.examples.http.BodyReader;
import dev.mely.examples.http.HeadReader;
import dev.mely.examples.http.Header;
import dev.mely.examples.http.Malformed;
import dev.mely.examples.http.RequestLine;
import java.util.List;
import java.util.Set;

/**
 * A request that the proxy handles. Requests with a body are refused, so that no other request can
 * be smuggled in it.
 *
 * @param method GET, HEAD or CONNECT
 * @param target its destination
 * @param minor minor version: 0 for HTTP/1.0
 * @param header the fields to forward: without hop-by-hop fields and Host
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
   * Fields of requests that bypass the cache: conditions that only the origin evaluates, ranges,
   * and credentials.
   */
  private static final List<String> PAST_THE_CACHE =
      List.of("range", "if-range", "if-match", "if-unmodified-since", "cookie");

  /**
   * Parses a head.
   *
   * @param self this proxy's name in Via
   */
  static ProxyRequest parse(HeadReader.Head<RequestLine> head, String self) throws Failure {
    RequestLine line = head.start();
    String method = line.method();
    int minor = line.minor();
    if (line.major() != 1) {
      throw new Failure(505, "Only HTTP/1.0 and HTTP/1.1 are supported.");
    }
    Header header = head.header();
    String hostFault = header.hostFault(minor);
    if (hostFault != null) {
      throw new Failure(400, hostFault);
    }
    boolean body = hasBody(header, minor);
    boolean connect = method.equals("CONNECT");
    if (!connect && !method.equals("GET") && !method.equals("HEAD")) {
      throw new Failure(501, "Only GET, HEAD and CONNECT are supported.");
    }
    if (body) {
      throw new Failure(413, "Requests with a body are not forwarded.");
    }
    String expect = header.get("expect");
    if (expect != null && !expect.equalsIgnoreCase("100-continue")) {
      throw new Failure(417, "Only the expectation '100-continue' is supported.");
    }
    if (Via.names(header, self)) {
      throw new Failure(508, "The request has already passed this proxy (a loop).");
    }
    Target target = connect ? Target.authority(line.target()) : Target.absolute(line.target());
    // Proxies never keep HTTP/1.0 connections open (RFC 9112, appendix C.2.2).
    boolean keepAlive = minor > 0 && !header.tokens("connection").contains("close");
    CacheControl wishes =
        header.hidesFields() ? CacheControl.NOTHING_CACHED : CacheControl.ofRequest(header);
    return new ProxyRequest(
        method, target, minor, header.endToEnd().without(NOT_PASSED_ON), wishes, keepAlive);
  }

  /** Whether there is a body; refuses a request whose body has no clear end. */
  private static boolean hasBody(Header header, int minor) throws Failure {
    boolean empty;
    try {
      empty = BodyReader.ofRequest(header).isComplete();
    } catch (Malformed doubtful) {
      throw Failure.of(doubtful);
    }
    List<String> codings = header.all("transfer-encoding");
    if (!codings.isEmpty() && minor != 1) {
      throw new Failure(400, "The end of the body is ambiguous.");
    }
    if (!codings.isEmpty()
        && (codings.size() != 1 || !codings.get(0).equalsIgnoreCase("chunked"))) {
      throw new Failure(501, "Only the transfer coding 'chunked' is supported.");
    }
    return !empty;
  }

  boolean isHead() {
    return method.equals("HEAD");
  }

  boolean isConnect() {
    return method.equals("CONNECT");
  }

  /** Whether the request bypasses the cache. */
  boolean goesPastTheCache() {
    return PAST_THE_CACHE.stream().anyMatch(header::contains);
  }

  /** Whether the client asks for validation of its own copy. */
  boolean isConditional() {
    return header.contains("if-none-match") || header.contains("if-modified-since");
  }
}
