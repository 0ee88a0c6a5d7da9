package dev.mely.examples.sfs;

import java.nio.charset.Charset;

/** Names from elsewhere, as a terminal may see them. */
final class Printable {
  private Printable() {}

  /** The encoding of standard output, which is that of the locale. */
  static Charset terminal() {
    String name = System.getProperty("stdout.encoding"); // since Java 18
    return name == null ? Charset.defaultCharset() : Charset.forName(name);
  }

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
