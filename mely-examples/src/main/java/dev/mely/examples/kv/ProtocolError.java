package dev.mely.examples.kv;

/** What came is no command; the connection is told why, and ends. */
final class ProtocolError extends Exception {
  private static final long serialVersionUID = 1L;

  ProtocolError(String message) {
    super(message, null, false, false);
  }
}
