package dev.mely.examples.sfs;

import java.nio.charset.Charset;
import java.util.regex.Pattern;

/** Makes names from another machine safe for a terminal. */
final class Printable {
  /** Controls, formats, and separators of lines and paragraphs. */
  private static final Pattern HIDDEN = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]");

  private Printable() {}

  /** The encoding of standard output, by default the locale's. */
  static Charset terminal() {
    String name = System.getProperty("stdout.encoding"); // since Java 18
    return name == null ? Charset.defaultCharset() : Charset.forName(name);
  }

  /** Replaces invisible characters, such as those of control sequences. */
  static String of(String name) {
    return HIDDEN.matcher(name).replaceAll("?");
  }
}
