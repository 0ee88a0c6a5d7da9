package dev.mely.examples.sfs;

import java.io.IOException;

/**
 * The input violates the protocol, through the other side or an attacker in between. The connection
 * ends without an answer. Without a stack trace, since the peer is at fault.
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
