package dev.mely.examples.sfs;

import java.nio.charset.Charset;
import java.util.regex.Pattern;

/** Names from elsewhere, as a terminal may see them. */
final class Printable {
  /** Controls, formats, and separators of lines and paragraphs. */
  private static final Pattern HIDDEN = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]");

  private Printable() {}

  /** The encoding of standard output, which is that of the locale. */
  static Charset terminal() {
    String name = System.getProperty("stdout.encoding"); // since Java 18
    return name == null ? Charset.defaultCharset() : Charset.forName(name);
  }

  /** Replaces what is not to be seen, such as a terminal's control sequences. */
  static String of(String name) {
    return HIDDEN.matcher(name).replaceAll("?");
  }
}
