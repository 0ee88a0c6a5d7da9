package dev.mely.examples.proxy;

/** What has come is no HTTP message, or one about whose end two readers could disagree. */
final class Malformed extends Exception {
  private static final long serialVersionUID = 1L;

  /** What is wrong. */
  enum Kind {
    SYNTAX,
    LINE_TOO_LONG,
    HEADER_TOO_LONG
  }

  private final Kind kind;

  /** It reports on a peer, and so it has no stack trace. */
  Malformed(Kind kind, String what) {
    super(what, null, false, false);
    this.kind = kind;
  }

  Malformed(String what) {
    this(Kind.SYNTAX, what);
  }

  Kind kind() {
    return kind;
  }
}
