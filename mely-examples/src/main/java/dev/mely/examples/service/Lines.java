package dev.mely.examples.service;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Takes lines out of what a client sends, whatever pieces it comes in. A line ends with a line
 * feed, before which a carriage return may stand; bytes that are not UTF-8 come out as U+FFFD.
 */
public final class Lines {
  private final int longest;
  private final ByteArrayOutputStream begun = new ByteArrayOutputStream();

  /**
   * Begins with nothing.
   *
   * @param longest how many bytes a line may have
   */
  public Lines(int longest) {
    this.longest = longest;
  }

  /** A line is longer than it may be. */
  public static final class TooLong extends Exception {
    private static final long serialVersionUID = 1L;

    private TooLong(int longest) {
      super("a line may have " + longest + " bytes", null, false, false);
    }
  }

  /**
   * Takes bytes.
   *
   * @param bytes read to its end
   * @param complete gets the lines that have become complete, without their ends, in order
   * @throws TooLong if a line is; those before it have been added
   */
  public void take(ByteBuffer bytes, List<String> complete) throws TooLong {
    while (bytes.hasRemaining()) {
      byte b = bytes.get();
      if (b == '\n') {
        complete.add(line());
      } else if (begun.size() < longest || (b == '\r' && begun.size() == longest)) {
        begun.write(b);
      } else {
        throw new TooLong(longest);
      }
    }
  }

  /**
   * Takes bytes.
   *
   * @param bytes read to its end
   * @return the lines that have become complete
   * @throws TooLong if a line is
   */
  public List<String> take(ByteBuffer bytes) throws TooLong {
    List<String> complete = new ArrayList<>();
    take(bytes, complete);
    return complete;
  }

  private String line() {
    String line = begun.toString(StandardCharsets.UTF_8);
    begun.reset();
    return line.endsWith("\r") ? line.substring(0, line.length() - 1) : line;
  }
}
