package dev.mely.examples.sws;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What HTTP and this server demand of a request whose header has been read. */
public final class RequestRules {
  /** The longest request line: beyond it, 414. */
  public static final int MAX_LINE = 8 * 1024;

  /** The longest header, in all: beyond it, 431. */
  public static final int MAX_HEADER = 16 * 1024;

  /** The longest body that is read for the sake of the connection; beyond it, 413. */
  static final int MAX_BODY = 64 * 1024;

  private static final String CHUNKED = "chunked";
  private static final String CONTINUE = "100-continue";

  private RequestRules() {}

  /** Why a request is refused; null: it is not. */
  static @Nullable Refusal check(String method, int minor, Fields fields, long contentLength) {
    List<String> hosts = fields.getAll(Field.HOST);
    if (hosts.size() > 1 || (hosts.isEmpty() && minor > 0)) {
      return malformed("A request must have one Host header.");
    }
    if (!hosts.isEmpty() && !HostPort.isValid(hosts.get(0))) {
      return malformed("The Host header is not a host and a port.");
    }
    List<String> codings = fields.getAll(Field.TRANSFER_ENCODING);
    if (!codings.isEmpty()) {
      Refusal refusal = checkCodings(codings, minor);
      if (refusal != null) {
        return refusal;
      }
    }
    if (contentLength > MAX_BODY) {
      return tooLarge();
    }
    if (fields.contains(Field.EXPECT) && !fields.hasOnly(Field.EXPECT, CONTINUE)) {
      return Refusal.closing(
          Status.EXPECTATION_FAILED, "Nothing but '100-continue' can be expected.");
    }
    if (!method.equals("GET") && !method.equals("HEAD")) {
      return Refusal.of(Status.METHOD_NOT_ALLOWED, "Files can be read with GET and HEAD only.");
    }
    return null;
  }

  /**
   * Takes {@code chunked}, once and alone (RFC 9112, sections 6.1 and 7). Anything else is where
   * two servers have disagreed about where a request ends, so it ends the connection, too.
   */
  private static @Nullable Refusal checkCodings(List<String> codings, int minor) {
    if (minor != 1) { // of a version that there is not, Netty's decoder lets no coding pass either
      return malformed("Transfer codings are for HTTP/1.1.");
    }
    if (codings.size() == 1 && codings.get(0).equalsIgnoreCase(CHUNKED)) {
      return null;
    }
    String[] names = String.join(",", codings).toLowerCase(Locale.ROOT).split(",", -1);
    for (int i = 0; i < names.length; i++) {
      String name = names[i].strip();
      boolean last = i == names.length - 1;
      if (name.isEmpty() || name.equals("identity") || name.equals(CHUNKED) != last) {
        return malformed("The end of the body cannot be found.");
      }
    }
    return Refusal.closing(
        Status.NOT_IMPLEMENTED, "Only the transfer coding 'chunked' is understood.");
  }

  /** Whether the connection stays open after the response (RFC 9112, section 9.3). */
  static boolean isKeepAlive(int minor, Fields fields) {
    return !fields.hasToken(Field.CONNECTION, "close")
        && (minor > 0 || fields.hasToken(Field.CONNECTION, "keep-alive"));
  }

  /**
   * Whether the client holds its body back until it hears from us. Without a body it waits for
   * nothing (RFC 9110, section 10.1.1). That some of the body may have come already does not count:
   * it would depend on how the network cuts what was sent.
   *
   * @param contentLength of a body that is not chunked
   */
  static boolean expectsContinue(int minor, Fields fields, long contentLength) {
    return minor > 0
        && fields.contains(Field.EXPECT)
        && (contentLength > 0 || fields.contains(Field.TRANSFER_ENCODING));
  }

  static Refusal malformed(String reason) {
    return Refusal.closing(Status.BAD_REQUEST, reason);
  }

  static Refusal malformed() {
    return malformed("This is not an HTTP request.");
  }

  static Refusal malformedBody() {
    return malformed("The body is malformed.");
  }

  static Refusal versionNotSupported() {
    return Refusal.closing(
        Status.HTTP_VERSION_NOT_SUPPORTED, "Only HTTP/1.0 and HTTP/1.1 are spoken.");
  }

  static Refusal lineTooLong() {
    return Refusal.closing(
        Status.REQUEST_URI_TOO_LONG, "A request line may have " + MAX_LINE + " bytes.");
  }

  static Refusal headerTooLong() {
    return Refusal.closing(
        Status.REQUEST_HEADER_FIELDS_TOO_LARGE, "A header may have " + MAX_HEADER + " bytes.");
  }

  static Refusal tooLarge() {
    return Refusal.closing(
        Status.REQUEST_ENTITY_TOO_LARGE,
        "A body, which is not looked at, may have " + MAX_BODY + " bytes.");
  }

  static Refusal tooLate() {
    return Refusal.closing(Status.REQUEST_TIMEOUT, "The request took too long to come.");
  }
}
