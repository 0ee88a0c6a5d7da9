package dev.mely.examples.http;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Parses the heads of messages, in any number of pieces. Every line ends with CR LF, and neither
 * character occurs elsewhere; a line is never continued in the next one. A malformed line is
 * refused at once, before the head is complete.
 *
 * <p>Belongs to one connection. Must not be used again after it has refused a line.
 *
 * @param <S> the type of the first line
 */
public final class HeadReader<S> {
  /** The longest first line, in bytes. */
  public static final int MAX_LINE = 8 * 1024;

  /** The longest header of a request, in bytes; also its longest trailer. */
  public static final int MAX_HEADER = 16 * 1024;

  private static final int MAX_RESPONSE_HEADER = 64 * 1024;

  /**
   * The head of a message.
   *
   * @param start its first line
   * @param header its fields
   */
  public record Head<S>(S start, Header header) {}

  private interface Grammar<S> {
    S parse(String line) throws Malformed;
  }

  private static final byte[] EMPTY = {};

  private final Grammar<S> grammar;
  private final int maxHeader;
  private final boolean blankMayLead;

  /** Unread input is from start to end; there is no line end before scanned. */
  private byte[] bytes = EMPTY;

  private int start;
  private int end;
  private int scanned;

  private @Nullable S first;
  private List<Header.Line> lines = new ArrayList<>();
  private int headerBytes;

  private HeadReader(Grammar<S> grammar, int maxHeader, boolean blankMayLead) {
    this.grammar = grammar;
    this.maxHeader = maxHeader;
    this.blankMayLead = blankMayLead;
  }

  /** A reader of requests. Skips empty lines before one, as servers should (RFC 9112, 2.2). */
  public static HeadReader<RequestLine> ofRequests() {
    return new HeadReader<>(RequestLine::parse, MAX_HEADER, true);
  }

  /** A reader of responses, including interim ones (1xx). */
  public static HeadReader<StatusLine> ofResponses() {
    return new HeadReader<>(StatusLine::parse, MAX_RESPONSE_HEADER, false);
  }

  /** Adds input. */
  public void feed(ByteBuffer input) {
    int unread = end - start;
    int room = unread + input.remaining();
    if (room > bytes.length - start) {
      byte[] larger =
          new byte[Math.max(room, 2 * unread)]; // doubles: no new array for each small piece
      System.arraycopy(bytes, start, larger, 0, unread);
      scanned -= start;
      end = unread;
      start = 0;
      bytes = larger;
    }
    int length = input.remaining();
    input.get(bytes, end, length);
    end += length;
  }

  /** How many bytes are allocated. */
  public int capacity() {
    return bytes.length;
  }

  /** Whether a head is incomplete, or there is input after the last one. */
  public boolean hasUnread() {
    return start < end || first != null;
  }

  /** The first line of the incomplete head; null if that line is not complete either. */
  public @Nullable S start() {
    return first;
  }

  /** Takes the input after the last head. */
  public ByteBuffer rest() {
    ByteBuffer rest = ByteBuffer.wrap(bytes, start, end - start);
    clear();
    return rest;
  }

  /** Reads a body from the input after the last head. */
  public void read(BodyReader body, Consumer<ByteBuffer> content) throws Malformed {
    ByteBuffer rest = ByteBuffer.wrap(bytes, start, end - start);
    body.read(rest, content);
    start = rest.position();
    clearIfEmpty();
  }

  /** The next complete head; null if more bytes are needed. */
  public @Nullable Head<S> next() throws Malformed {
    while (true) {
      String line = line();
      if (line == null) {
        clearIfEmpty();
        return null;
      }
      if (first == null) {
        if (!line.isEmpty()) {
          first = grammar.parse(line);
        } else if (!blankMayLead) {
          throw new Malformed("the message begins with an empty line");
        }
      } else if (line.isEmpty()) {
        Head<S> head = new Head<>(first, new Header(lines));
        first = null;
        lines = new ArrayList<>();
        headerBytes = 0;
        clearIfEmpty();
        return head;
      } else {
        lines.add(Header.Line.parse(line));
      }
    }
  }

  /** An idle connection holds no buffer. */
  private void clearIfEmpty() {
    if (start == end) {
      clear();
    }
  }

  private void clear() {
    bytes = EMPTY;
    start = 0;
    end = 0;
    scanned = 0;
  }

  /** The next line without its end; null if it is not complete. */
  private @Nullable String line() throws Malformed {
    int at = Math.max(scanned, start);
    while (at < end && bytes[at] != '\n') {
      at++;
    }
    scanned = at;
    int length = at - start;
    count(length + 1);
    if (at == end) {
      return null;
    }
    if (length == 0 || bytes[at - 1] != '\r') {
      throw new Malformed("a line ends with LF without CR");
    }
    if (first != null) {
      headerBytes += length + 1;
    }
    String line = new String(bytes, start, length - 1, StandardCharsets.ISO_8859_1);
    start = at + 1;
    scanned = start;
    if (line.indexOf('\r') >= 0) {
      throw new Malformed("a CR within a line");
    }
    return line;
  }

  private void count(int length) throws Malformed {
    if (first == null && length > MAX_LINE) {
      throw new Malformed(
          Malformed.Kind.LINE_TOO_LONG, "the first line has more than " + MAX_LINE + " bytes");
    }
    if (first != null && headerBytes + length > maxHeader) {
      throw new Malformed(
          Malformed.Kind.HEADER_TOO_LONG, "the header has more than " + maxHeader + " bytes");
    }
  }
}
