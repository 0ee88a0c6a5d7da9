package dev.mely.examples.http;

import java.util.regex.Pattern;

/**
 * The lines that announce the chunks of one body (RFC 9112, section 7.1): a size in hexadecimal
 * digits, and extensions, which are checked and dropped.
 */
public final class ChunkSizes {
  /** How long a line may be, in bytes. */
  static final int MAX_LINE = 4 * 1024;

  private static final int MAX_DIGITS = 15;

  private static final String BLANKS = "[ \\t]*+";
  private static final String TOKEN = "[-!#$%&'*+.^_`|~0-9A-Za-z]++";
  private static final String QUOTED = "\"(?:[\\t !#-\\[\\]-~]++|\\\\[\\t -~])*+\"";
  private static final String VALUE = BLANKS + "=" + BLANKS + "(?:" + TOKEN + "|" + QUOTED + ")";

  /** Possessive quantifiers: no backtracking, so no stack overflow on a long line. */
  private static final Pattern EXTENSIONS =
      Pattern.compile("(?:" + BLANKS + ";" + BLANKS + TOKEN + "(?:" + VALUE + ")?+)*+");

  /** Limit of all extensions of one body together, in bytes beyond the content's length. */
  private static final int MAX_EXTENSIONS = 16 * 1024;

  private final boolean padded;
  private final long most;
  private long excess;

  private ChunkSizes(boolean padded, long most) {
    this.padded = padded;
    this.most = most;
  }

  /** Of a request: a chunk has less than 2 GiB. */
  public static ChunkSizes ofRequest() {
    return new ChunkSizes(false, Integer.MAX_VALUE);
  }

  /** Of a response: a size may be followed by blanks, which some servers use as padding. */
  public static ChunkSizes ofResponse() {
    return new ChunkSizes(true, Long.MAX_VALUE);
  }

  /**
   * Reads the next line.
   *
   * @param line without its end, one character per byte
   * @return the chunk's size in bytes; 0 for the last chunk
   */
  public long next(String line) throws Malformed {
    int digits = 0;
    long size = 0;
    while (digits < line.length() && Characters.isHex(line.charAt(digits))) {
      size = size << 4 | Character.digit(line.charAt(digits), 16);
      digits++;
    }
    excess += Math.max(0, line.length() + 1 - MAX_DIGITS) - size;
    if (line.length() >= MAX_LINE || excess + size > MAX_EXTENSIONS) {
      throw new Malformed("the extensions of a chunk are too long");
    }
    if (digits == 0 || digits > MAX_DIGITS || size > most) {
      throw new Malformed("the size of a chunk is missing or too large");
    }
    if (!(padded && line.chars().skip(digits).allMatch(c -> Characters.isBlank((char) c)))
        && !EXTENSIONS.matcher(line).region(digits, line.length()).matches()) {
      throw new Malformed("invalid extension of a chunk");
    }
    return size;
  }
}
