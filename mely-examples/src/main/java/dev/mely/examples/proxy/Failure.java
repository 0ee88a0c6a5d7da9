package dev.mely.examples.proxy;

import dev.mely.examples.http.Malformed;

/**
 * An error that the proxy answers with: a status, and as its message a sentence for the user.
 * Without a stack trace, since a peer is at fault.
 */
final class Failure extends Exception {
  private static final long serialVersionUID = 1L;

  private final int status;

  Failure(int status, String text) {
    super(text, null, false, false);
    this.status = status;
  }

  /** The answer to a malformed request. */
  static Failure of(Malformed wrong) {
    int status =
        switch (wrong.kind()) {
          case SYNTAX -> 400;
          case LINE_TOO_LONG -> 414;
          case HEADER_TOO_LONG -> 431;
        };
    return new Failure(status, "Malformed request: " + wrong.getMessage() + ".");
  }

  /** The code of the status. */
  int status() {
    return status;
  }

  /** The reason phrase. */
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
