package dev.mely.examples.sws;

import dev.mely.examples.http.BodyReader;
import dev.mely.examples.http.HeadReader;
import dev.mely.examples.http.Header;
import dev.mely.examples.http.Malformed;
import dev.mely.examples.http.RequestLine;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Rules of HTTP and of this server for a request whose header has been parsed. */
final class RequestRules {
  /** The longest body that is read (and dropped) to keep the connection; beyond it, 413. */
  static final int MAX_BODY = 64 * 1024;

  private static final String CHUNKED = "chunked";
  private static final String CONTINUE = "100-continue";

  private RequestRules() {}

  /**
   * Why a request is refused.
   *
   * @param body as framed by the header
   * @return null: it is not
   */
  static @Nullable Refusal refusal(RequestLine line, Header header, BodyReader body) {
    String hostFault = header.hostFault(line.minor());
    if (hostFault != null) {
      return malformed(hostFault);
    }
    Refusal codings = checkCodings(header.members("transfer-encoding"), line.minor());
    if (codings != null) {
      return codings;
    }
    if (body.length() > MAX_BODY) {
      return tooLarge();
    }
    if (!header.members("expect").stream().allMatch(CONTINUE::equalsIgnoreCase)) {
      return Refusal.closing(
          Status.EXPECTATION_FAILED, "Only the expectation '100-continue' is supported.");
    }
    if (!line.method().equals("GET") && !line.isHead()) {
      return Refusal.of(Status.METHOD_NOT_ALLOWED, "Files can be read with GET and HEAD only.");
    }
    return null;
  }

  /**
   * Accepts {@code chunked}, once and alone (RFC 9112, sections 6.1 and 7). Anything else closes
   * the connection: servers have disagreed about where such requests end (request smuggling).
   */
  private static @Nullable Refusal checkCodings(List<String> codings, int minor) {
    if (codings.isEmpty()) {
      return null;
    }
    if (minor != 1) { // only HTTP/1.1 has transfer codings
      return malformed("Transfer codings are for HTTP/1.1.");
    }
    for (int i = 0; i < codings.size(); i++) {
      String name = codings.get(i);
      boolean last = i == codings.size() - 1;
      if (name.isEmpty()
          || name.equalsIgnoreCase("identity")
          || name.equalsIgnoreCase(CHUNKED) != last) {
        return malformed("The end of the body is ambiguous.");
      }
    }
    return codings.size() == 1
        ? null
        : Refusal.closing(
            Status.NOT_IMPLEMENTED, "Only the transfer coding 'chunked' is supported.");
  }

  /** Whether the connection stays open after the response (RFC 9112, section 9.3). */
  static boolean isKeepAlive(int minor, Header header) {
    List<String> options = header.tokens("connection");
    return !options.contains("close") && (minor > 0 || options.contains("keep-alive"));
  }

  /**
   * Whether the client waits for a 100 (Continue) before it sends its body; without a body it does
   * not (RFC 9110, section 10.1.1). It does not matter whether a part of the body has already
   * arrived: that would depend on how the network splits the data.
   */
  static boolean expectsContinue(RequestLine line, Header header, BodyReader body) {
    return line.minor() > 0 && header.contains("expect") && !body.isComplete();
  }

  /** Why a head that breaks the grammar is refused. */
  static Refusal malformed(Malformed head) {
    return malformed(head, "This is not an HTTP request.");
  }

  /** Why a body that breaks the grammar is refused. */
  static Refusal malformedBody(Malformed body) {
    return malformed(body, "The body is malformed.");
  }

  private static Refusal malformed(Malformed wrong, String what) {
    return switch (wrong.kind()) {
      case SYNTAX -> malformed(what);
      case LINE_TOO_LONG ->
          Refusal.closing(
              Status.REQUEST_URI_TOO_LONG,
              "A request line may have " + HeadReader.MAX_LINE + " bytes.");
      case HEADER_TOO_LONG ->
          Refusal.closing(
              Status.REQUEST_HEADER_FIELDS_TOO_LARGE,
              "A header may have " + HeadReader.MAX_HEADER + " bytes.");
    };
  }

  private static Refusal malformed(String reason) {
    return Refusal.closing(Status.BAD_REQUEST, reason);
  }

  static Refusal versionNotSupported() {
    return Refusal.closing(
        Status.HTTP_VERSION_NOT_SUPPORTED, "Only HTTP/1.0 and HTTP/1.1 are supported.");
  }

  static Refusal tooLarge() {
    return Refusal.closing(
        Status.REQUEST_ENTITY_TOO_LARGE,
        "A body, which is ignored, may have " + MAX_BODY + " bytes.");
  }

  static Refusal tooLate() {
    return Refusal.closing(Status.REQUEST_TIMEOUT, "The request took too long to arrive.");
  }
}
