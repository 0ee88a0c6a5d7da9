package dev.mely.examples.kv;

import dev.mely.examples.service.Http;
import java.io.ByteArrayOutputStream;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;

/**
 * Parses requests, in any number of pieces: RESP arrays of bulk strings, or lines of words for
 * users of {@code nc}. An announced length takes no memory before its bytes arrive. Not
 * thread-safe.
 */
final class RequestReader {
  /** How many bytes a request may take, including {@link #WORD} for each of its words. */
  static final int LARGEST_REQUEST = 32 << 20;

  static final int WORD = 16;
  private static final int LONGEST_LINE = 64 << 10;
  private static final int LONGEST_STRING = 1 << 20;
  private static final int MOST_WORDS = 1 << 20;

  /** An incomplete line, or an incomplete bulk string with its line end. */
  private ByteArrayOutputStream begun = new ByteArrayOutputStream();

  /** Length of the next bulk string; -1 if a line comes next. */
  private int bulk = -1;

  /** How many words this request still lacks; 0 between requests. */
  private int missing;

  private List<String> words = new ArrayList<>();
  private long size;

  /** Parses a number as Redis does: throws on a plus, leading zeros and blanks. */
  static long number(String text) {
    long number = Long.parseLong(text);
    if (!Long.toString(number).equals(text)) {
      throw new NumberFormatException();
    }
    return number;
  }

  /**
   * Takes input.
   *
   * @param in all of it is taken
   * @param complete gets the completed requests, each with at least one word
   * @throws ProtocolException on malformed input: requests before it have been added; or on
   *     {@linkplain Http HTTP}: then {@code complete} is empty
   */
  void take(ByteBuffer in, Collection<List<String>> complete) throws ProtocolException {
    while (in.hasRemaining()) {
      boolean isHttp = bulk < 0 ? takeLine(in) : takeBulk(in);
      if (isHttp) {
        complete.clear();
        throw new ProtocolException(Http.REFUSAL);
      }
      if (missing == 0 && !words.isEmpty()) {
        complete.add(words);
        words = new ArrayList<>();
        size = 0;
      }
    }
  }

  /** Takes a line, or a part of it. Returns whether it is HTTP. */
  private boolean takeLine(ByteBuffer in) throws ProtocolException {
    byte b = 0;
    while (in.hasRemaining() && (b = in.get()) != '\n') {
      if (begun.size() == LONGEST_LINE) {
        throw new ProtocolException("too big a line");
      }
      begun.write(b);
    }
    if (b != '\n') {
      return false;
    }
    String text = begun();
    String line = text.endsWith("\r") ? text.substring(0, text.length() - 1) : text;
    if (missing > 0) {
      if (!line.startsWith("$")) {
        throw new ProtocolException("expected '$', got '" + (line + "\r").charAt(0) + "'");
      }
      bulk = length(line, 0, LONGEST_STRING, "invalid bulk length");
      size += bulk + WORD;
      if (size > LARGEST_REQUEST) {
        throw new ProtocolException("too big a request");
      }
    } else if (line.startsWith("*")) {
      int count = length(line, Integer.MIN_VALUE, MOST_WORDS, "invalid multibulk length");
      missing = Math.max(0, count);
    } else {
      words.addAll(Arrays.asList(line.trim().split("\\s+")));
      words.remove(""); // from an empty line
      return Http.isLine(line) || (!words.isEmpty() && Http.isCommand(words.get(0)));
    }
    return false;
  }

  private static int length(String line, int least, int most, String error)
      throws ProtocolException {
    try {
      long length = number(line.substring(1));
      if (length >= least && length <= most) {
        return (int) length;
      }
    } catch (NumberFormatException e) {
      // Not a length either.
    }
    throw new ProtocolException(error);
  }

  /** Takes a bulk string, or a part of it. Returns whether the request is HTTP. */
  private boolean takeBulk(ByteBuffer in) throws ProtocolException {
    byte[] piece = new byte[Math.min(in.remaining(), bulk + 2 - begun.size())];
    in.get(piece);
    begun.writeBytes(piece);
    if (begun.size() == bulk + 2) {
      String text = begun();
      if (!text.endsWith("\r\n")) {
        throw new ProtocolException("a bulk string is longer than announced");
      }
      words.add(text.substring(0, bulk));
      missing--;
      bulk = -1;
    }
    return !words.isEmpty() && Http.isCommand(words.get(0));
  }

  private String begun() {
    String text = begun.toString(StandardCharsets.ISO_8859_1);
    begun = new ByteArrayOutputStream();
    return text;
  }
}
