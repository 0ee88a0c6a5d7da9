package dev.mely.examples.proxy;

import dev.mely.examples.http.Malformed;

/**
 * What the proxy answers by itself: a status, and a sentence for whoever asked.
 *
 * @param status its code
 * @param reason what stands beside it
 * @param text the sentence
 * @param closing whether the connection ends, since where the next request begins is unknown or
 *     beside the point
 */
record Failure(int status, String reason, String text, boolean closing) {
  /** Carries a failure out of a parser. */
  static final class Refused extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient Failure failure;

    Refused(Failure failure) {
      super(failure.text(), null, false, false);
      this.failure = failure;
    }

    Failure failure() {
      return failure;
    }
  }

  static Failure badRequest(String text) {
    return new Failure(400, "Bad Request", text, true);
  }

  static Failure forbidden(String text) {
    return new Failure(403, "Forbidden", text, true);
  }

  static Failure requestTimeout() {
    return new Failure(408, "Request Timeout", "The request took too long to come.", true);
  }

  static Failure contentTooLarge() {
    return new Failure(413, "Content Too Large", "Requests with a body are not forwarded.", true);
  }

  static Failure expectationFailed() {
    return new Failure(
        417, "Expectation Failed", "Nothing but '100-continue' can be expected.", true);
  }

  static Failure notImplemented(String text) {
    return new Failure(501, "Not Implemented", text, true);
  }

  static Failure badGateway(String text) {
    return new Failure(502, "Bad Gateway", text, false);
  }

  static Failure unavailable(String text) {
    return new Failure(503, "Service Unavailable", text, false);
  }

  static Failure gatewayTimeout(String text) {
    return new Failure(504, "Gateway Timeout", text, false);
  }

  static Failure versionNotSupported() {
    return new Failure(
        505, "HTTP Version Not Supported", "Only HTTP/1.0 and HTTP/1.1 are spoken.", true);
  }

  static Failure loop() {
    return new Failure(508, "Loop Detected", "The request has come through here before.", true);
  }

  /** What is wrong with a request that cannot be read. */
  static Failure of(Malformed wrong) {
    String text = "This is no request: " + wrong.getMessage() + ".";
    return switch (wrong.kind()) {
      case SYNTAX -> badRequest(text);
      case LINE_TOO_LONG -> new Failure(414, "URI Too Long", text, true);
      case HEADER_TOO_LONG -> new Failure(431, "Request Header Fields Too Large", text, true);
    };
  }
}
