package dev.mely.examples.kv;

import dev.mely.examples.service.Http;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;

/**
 * Takes commands out of what a client sends, whatever pieces it comes in: arrays of bulk strings,
 * or lines of words for people who use {@code nc}. What a length announces takes no memory before
 * it comes. Not thread-safe.
 */
final class RequestReader {
  /** How long a line may be. */
  static final int LONGEST_LINE = 64 * 1024;

  /** How many words a command may have. */
  static final int MOST_ARGUMENTS = 1024 * 1024;

  private static final int FIRST_PIECE = 4 * 1024;
  private static final byte[][] NONE = {};

  private final int longestBulk;
  private final long longestCommand;

  /** A line, or a bulk string, of which a part has come. */
  private byte[] begun = new byte[0];

  private int begunLength;

  /** How long the bulk string is that comes next; -1: a line comes next. */
  private int bulk = -1;

  /** How many bulk strings this command still lacks; 0: none has begun. */
  private int missing;

  private byte[][] arguments = NONE;
  private int count;
  private long commandBytes;

  /** Whether a line was one of HTTP. */
  private boolean isHttp;

  /**
   * Begins with nothing.
   *
   * @param longestBulk how many bytes a bulk string may have
   * @param longestCommand how many all of a command may have together
   */
  RequestReader(int longestBulk, long longestCommand) {
    this.longestBulk = longestBulk;
    this.longestCommand = longestCommand;
  }

  /**
   * Takes bytes.
   *
   * @param complete gets the commands that have become complete, none without a word
   * @return how many bytes of memory those take, about
   * @throws ProtocolError if there can be no more commands; those before it have been added, unless
   *     it is for {@linkplain Http HTTP}: then {@code complete} is empty
   */
  long take(byte[] in, int from, int to, Collection<byte[][]> complete) throws ProtocolError {
    long taken = 0;
    int at = from;
    while (at < to) {
      at = bulk >= 0 ? bulk(in, at, to) : line(in, at, to);
      if (isHttp || (count > 0 && Http.isCommand(arguments[0]))) {
        complete.clear();
        throw new ProtocolError(Http.REFUSAL);
      }
      if (missing == 0 && count > 0) {
        taken += commandBytes + 16L * count;
        complete.add(count == arguments.length ? arguments : Arrays.copyOf(arguments, count));
        arguments = NONE;
        count = 0;
        commandBytes = 0;
      }
    }
    return taken;
  }

  // ---- Lines

  private int line(byte[] in, int from, int to) throws ProtocolError {
    int end = from;
    while (end < to && in[end] != '\n') {
      end++;
    }
    if (begunLength + (end - from) > LONGEST_LINE) {
      throw tooLongLine(begunLength > 0 ? begun[0] : in[from]);
    }
    if (end == to) {
      keep(in, from, to, LONGEST_LINE);
      return to;
    }
    if (begunLength > 0) {
      keep(in, from, end, LONGEST_LINE);
      byte[] whole = begun;
      int length = begunLength;
      forget();
      line(whole, 0, length, true);
    } else {
      line(in, from, end, true);
    }
    return end + 1;
  }

  private ProtocolError tooLongLine(byte kind) {
    if (missing > 0) {
      return new ProtocolError("too big bulk count string");
    }
    return new ProtocolError(kind == '*' ? "too big mbulk count string" : "too big inline request");
  }

  private void line(byte[] in, int from, int end, boolean trim) throws ProtocolError {
    int to = trim && end > from && in[end - 1] == '\r' ? end - 1 : end;
    if (missing > 0) {
      if (to == from || in[from] != '$') {
        String got = to == from ? "\\r" : new String(in, from, 1, StandardCharsets.ISO_8859_1);
        throw new ProtocolError("expected '$', got '" + got + "'");
      }
      long length = number(in, from + 1, to);
      if (length < 0 || length > longestBulk) {
        throw new ProtocolError("invalid bulk length");
      }
      commandBytes += length;
      if (commandBytes > longestCommand) {
        throw new ProtocolError("too big a command");
      }
      bulk = (int) length;
    } else if (to > from && in[from] == '*') {
      long words = number(in, from + 1, to);
      if (words == Long.MIN_VALUE || words > MOST_ARGUMENTS) {
        throw new ProtocolError("invalid multibulk length");
      }
      missing = (int) Math.max(0, words);
      arguments = new byte[Math.min(missing, 16)][];
    } else if (Http.isLine(in, from, to)) {
      isHttp = true;
    } else {
      arguments = Words.split(in, from, to);
      count = arguments.length;
      commandBytes = (long) to - from;
    }
  }

  /** A decimal number as Redis reads it; the smallest long: it is none. */
  private static long number(byte[] in, int from, int to) {
    try {
      return Numbers.integer(in, from, to);
    } catch (CommandFailure e) {
      return Long.MIN_VALUE;
    }
  }

  // ---- Bulk strings

  private int bulk(byte[] in, int from, int to) throws ProtocolError {
    int whole = bulk + 2; // with the end of the line
    int end = (int) Math.min(to, (long) from + whole - begunLength);
    if (begunLength == 0 && end - from == whole) {
      argument(in, from);
    } else {
      keep(in, from, end, whole);
      if (begunLength == whole) {
        byte[] complete = begun;
        forget();
        argument(complete, 0);
      }
    }
    return end;
  }

  private void argument(byte[] in, int from) throws ProtocolError {
    int end = from + bulk;
    if (in[end] != '\r' || in[end + 1] != '\n') {
      throw new ProtocolError("a bulk string is longer than it says");
    }
    if (count == arguments.length) {
      arguments = Arrays.copyOf(arguments, Math.min(count + missing, 2 * count));
    }
    arguments[count++] = Arrays.copyOfRange(in, from, end);
    missing--;
    bulk = -1;
  }

  private void keep(byte[] in, int from, int to, int most) {
    int needed = begunLength + (to - from);
    if (needed > begun.length) {
      int room = (int) Math.min(most, Math.max(needed, 2L * begun.length));
      begun = Arrays.copyOf(begun, Math.max(room, Math.min(most, needed < 64 ? 64 : FIRST_PIECE)));
    }
    System.arraycopy(in, from, begun, begunLength, to - from);
    begunLength = needed;
  }

  private void forget() {
    begun = new byte[0];
    begunLength = 0;
  }
}
