package dev.mely.examples.http;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Turns bytes into the heads of messages, whatever pieces they come in. Every line ends with a
 * carriage return and a line feed, and neither stands anywhere else; no line goes on in the next.
 * What is wrong is refused with its line, before more has come.
 *
 * <p>Belongs to one connection. After it has refused something it must not be asked again.
 *
 * @param <S> what the first line is
 */
public final class HeadReader<S> {
  /** The longest first line, in bytes. */
  public static final int MAX_LINE = 8 * 1024;

  /** The longest header of a request, in bytes; its trailer may have as many. */
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

  /** What has come and is not taken, from start to end; no line ends before scanned. */
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

  /** Empty lines before a request are let pass, as RFC 9112, section 2.2, asks of servers. */
  public static HeadReader<RequestLine> ofRequests() {
    return new HeadReader<>(RequestLine::parse, MAX_HEADER, true);
  }

  /** A reader of responses, the interim ones included. */
  public static HeadReader<StatusLine> ofResponses() {
    return new HeadReader<>(StatusLine::parse, MAX_RESPONSE_HEADER, false);
  }

  /** Adds bytes that have come. */
  public void feed(ByteBuffer input) {
    int unread = end - start;
    int room = unread + input.remaining();
    if (room > bytes.length - start) {
      byte[] larger = new byte[Math.max(room, 2 * unread)]; // not one more for each small piece
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

  /** Whether a head has begun and not ended, or something stands behind the last one. */
  public boolean hasUnread() {
    return start < end || first != null;
  }

  /** The first line of the head that has begun and not ended; null: it is not complete. */
  public @Nullable S start() {
    return first;
  }

  /** Takes what stands behind the head that was read last. */
  public ByteBuffer rest() {
    ByteBuffer rest = ByteBuffer.wrap(bytes, start, end - start);
    clear();
    return rest;
  }

  /** Lets a body take its part of what stands behind the head that was read last. */
  public void read(BodyReader body, Consumer<ByteBuffer> content) throws Malformed {
    ByteBuffer rest = ByteBuffer.wrap(bytes, start, end - start);
    body.read(rest, content);
    start = rest.position();
    clearIfEmpty();
  }

  /** The next head that is complete; null: more bytes are needed. */
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

  /** An idle connection holds nothing. */
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

  /** The next line without its end; null: it is not complete. */
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
      throw new Malformed("a line ends with a line feed alone");
    }
    if (first != null) {
      headerBytes += length + 1;
    }
    String line = new String(bytes, start, length - 1, StandardCharsets.ISO_8859_1);
    start = at + 1;
    scanned = start;
    if (line.indexOf('\r') >= 0) {
      throw new Malformed("a carriage return stands within a line");
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
