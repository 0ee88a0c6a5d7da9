package dev.mely.examples.sfs;

import java.io.IOException;

/** A request that the server has answered with something other than OK. */
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
