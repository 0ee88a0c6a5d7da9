package dev.mely.examples.sfs;

import java.io.IOException;

/** The server has answered a request with another status than OK. */
final class SfsException extends IOException {
  private static final long serialVersionUID = 1L;

  private final Status status;

  SfsException(Status status, String reason) {
    super(reason);
    this.status = status;
  }

  Status status() {
    return status;
  }
}
