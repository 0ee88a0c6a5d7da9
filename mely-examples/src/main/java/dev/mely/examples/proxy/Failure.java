package dev.mely.examples.proxy;

import dev.mely.examples.http.Malformed;

/**
 * What the proxy answers by itself: a status, and as its message a sentence for the person who
 * asked. It reports on a peer, and so it has no stack trace.
 */
final class Failure extends Exception {
  private static final long serialVersionUID = 1L;

  private final int status;

  Failure(int status, String text) {
    super(text, null, false, false);
    this.status = status;
  }

  /** What is wrong with a request that cannot be read. */
  static Failure of(Malformed wrong) {
    int status =
        switch (wrong.kind()) {
          case SYNTAX -> 400;
          case LINE_TOO_LONG -> 414;
          case HEADER_TOO_LONG -> 431;
        };
    return new Failure(status, "This is no request: " + wrong.getMessage() + ".");
  }

  /** The code of the status. */
  int status() {
    return status;
  }

  /** What stands beside the code. */
  String reason() {
    return switch (status) {
      case 400 -> "Bad Request";
      case 403 -> "Forbidden";
      case 408 -> "Request Timeout";
      case 413 -> "Content Too Large";
      case 414 -> "URI Too Long";
      case 417 -> "Expectation Failed";
      case 431 -> "Request Header Fields Too Large";
      case 501 -> "Not Implemented";
      case 502 -> "Bad Gateway";
      case 503 -> "Service Unavailable";
      case 504 -> "Gateway Timeout";
      case 505 -> "HTTP Version Not Supported";
      case 508 -> "Loop Detected";
      default -> "";
    };
  }
}
