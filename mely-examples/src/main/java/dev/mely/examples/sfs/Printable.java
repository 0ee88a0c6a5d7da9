package dev.mely.examples.sfs;

/** Names from elsewhere, as a terminal may see them. */
final class Printable {
  private Printable() {}

  /** Replaces what is not to be seen, such as a terminal's control sequences. */
  static String of(String name) {
    StringBuilder text = new StringBuilder();
    name.codePoints()
        .forEach(
            c -> {
              boolean hidden =
                  Character.isISOControl(c)
                      || Character.getType(c) == Character.FORMAT
                      || Character.getType(c) == Character.LINE_SEPARATOR
                      || Character.getType(c) == Character.PARAGRAPH_SEPARATOR;
              text.appendCodePoint(hidden ? '?' : c);
            });
    return text.toString();
  }
}
