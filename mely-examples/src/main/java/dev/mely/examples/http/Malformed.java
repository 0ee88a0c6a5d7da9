package dev.mely.examples.http;

/** Input that is not an HTTP message, or one whose end two readers could place differently. */
public final class Malformed extends Exception {
  private static final long serialVersionUID = 1L;

  /** What is wrong. */
  public enum Kind {
    /** It breaks the grammar. */
    SYNTAX,
    /** The first line is too long. */
    LINE_TOO_LONG,
    /** The header, or the trailer, is too long. */
    HEADER_TOO_LONG
  }

  private final Kind kind;

  /** Without a stack trace, since the peer is at fault. */
  public Malformed(Kind kind, String what) {
    super(what, null, false, false);
    this.kind = kind;
  }

  /** For input that breaks the grammar. */
  public Malformed(String what) {
    this(Kind.SYNTAX, what);
  }

  /** What is wrong. */
  public Kind kind() {
    return kind;
  }
}
