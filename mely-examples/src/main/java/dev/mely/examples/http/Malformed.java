package dev.mely.examples.http;

/** What has come is no HTTP message, or one about whose end two readers could disagree. */
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

  /** It reports on a peer, and so it has no stack trace. */
  public Malformed(Kind kind, String what) {
    super(what, null, false, false);
    this.kind = kind;
  }

  /** Something that breaks the grammar. */
  public Malformed(String what) {
    this(Kind.SYNTAX, what);
  }

  /** What is wrong. */
  public Kind kind() {
    return kind;
  }
}
