package dev.mely.examples.sws;

/** Which events of {@link SwsCoreServer} exclude each other. */
public enum Coloring {
  /**
   * As in the Mely paper (section V-C, Figure 6): a connection's events have its color, and look up
   * an immutable map of responses built at start-up.
   */
  MELY("mely"),

  /**
   * As in the libasync-smp paper (section 5.1): the page cache is mutable, so it is split into ten
   * parts, each with a color; an urgent event outside of them hashes the name.
   */
  LIBASYNC("2003");

  private final String text;

  Coloring(String text) {
    this.text = text;
  }

  /** Returns the name as the command line gives it. */
  @Override
  public String toString() {
    return text;
  }
}
