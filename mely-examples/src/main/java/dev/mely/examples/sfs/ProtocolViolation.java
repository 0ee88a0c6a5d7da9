package dev.mely.examples.sfs;

import java.io.IOException;

/**
 * The other side, or somebody in between, has sent what the protocol does not allow. The connection
 * ends without an answer. Carries no stack trace: it reports on a peer, not on this program.
 */
final class ProtocolViolation extends IOException {
  private static final long serialVersionUID = 1L;

  ProtocolViolation(String what) {
    super(what);
  }

  @Override
  public synchronized Throwable fillInStackTrace() {
    return this;
  }
}
