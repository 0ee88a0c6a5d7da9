package dev.mely.examples.service;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Collection;

/**
 * Splits input, in any number of pieces, into lines. A line ends with LF or CR LF; bytes that are
 * not UTF-8 become U+FFFD.
 */
public final class Lines {
  private final int longest;
  private final ByteArrayOutputStream begun = new ByteArrayOutputStream();

  /**
   * Begins without input.
   *
   * @param longest how many bytes a line may have
   */
  public Lines(int longest) {
    this.longest = longest;
  }

  /** A line is too long, or is {@linkplain Http HTTP}; the connection must end. */
  public static final class Refused extends Exception {
    private static final long serialVersionUID = 1L;

    private Refused(String why) {
      super(why, null, false, false);
    }
  }

  /**
   * Takes bytes.
   *
   * @param bytes all of them are taken
   * @param complete gets the completed lines, without line ends, in order
   * @throws Refused if a line is too long: those before it have been added; or if one is HTTP: then
   *     {@code complete} is empty
   */
  public void take(ByteBuffer bytes, Collection<String> complete) throws Refused {
    while (bytes.hasRemaining()) {
      byte b = bytes.get();
      if (b == '\n') {
        String line = line();
        if (Http.isLine(line)) {
          complete.clear();
          throw new Refused(Http.REFUSAL);
        }
        complete.add(line);
      } else if (begun.size() < longest || (b == '\r' && begun.size() == longest)) {
        begun.write(b);
      } else {
        throw new Refused("a line may have " + longest + " bytes");
      }
    }
  }

  private String line() {
    String line = begun.toString(StandardCharsets.UTF_8);
    begun.reset();
    return line.endsWith("\r") ? line.substring(0, line.length() - 1) : line;
  }
}
