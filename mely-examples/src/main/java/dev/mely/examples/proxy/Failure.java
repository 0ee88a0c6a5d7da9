package dev.mely.examples.proxy;

import dev.mely.examples.http.Malformed;

/**
 * What the proxy answers by itself: a status, and as its message a sentence for the person who
 * asked. It reports on a peer, and so it has no stack trace.
 */
final class Failure extends Exception {
  private static final long serialVersionUID = 1L;

  private final int status;
  private final String reason;

  private Failure(int status, String reason, String text) {
    super(text, null, false, false);
    this.status = status;
    this.reason = reason;
  }

  /** The code of the status. */
  int status() {
    return status;
  }

  /** What stands beside the code. */
  String reason() {
    return reason;
  }

  static Failure badRequest(String text) {
    return new Failure(400, "Bad Request", text);
  }

  static Failure forbidden(String text) {
    return new Failure(403, "Forbidden", text);
  }

  static Failure requestTimeout() {
    return new Failure(408, "Request Timeout", "The request took too long to come.");
  }

  static Failure contentTooLarge() {
    return new Failure(413, "Content Too Large", "Requests with a body are not forwarded.");
  }

  static Failure expectationFailed() {
    return new Failure(417, "Expectation Failed", "Nothing but '100-continue' can be expected.");
  }

  static Failure notImplemented(String text) {
    return new Failure(501, "Not Implemented", text);
  }

  static Failure badGateway(String text) {
    return new Failure(502, "Bad Gateway", text);
  }

  static Failure unavailable(String text) {
    return new Failure(503, "Service Unavailable", text);
  }

  static Failure gatewayTimeout(String text) {
    return new Failure(504, "Gateway Timeout", text);
  }

  static Failure versionNotSupported() {
    return new Failure(505, "HTTP Version Not Supported", "Only HTTP/1.0 and HTTP/1.1 are spoken.");
  }

  static Failure loop() {
    return new Failure(508, "Loop Detected", "The request has come through here before.");
  }

  /** What is wrong with a request that cannot be read. */
  static Failure of(Malformed wrong) {
    String text = "This is no request: " + wrong.getMessage() + ".";
    return switch (wrong.kind()) {
      case SYNTAX -> badRequest(text);
      case LINE_TOO_LONG -> new Failure(414, "URI Too Long", text);
      case HEADER_TOO_LONG -> new Failure(431, "Request Header Fields Too Large", text);
    };
  }
}
