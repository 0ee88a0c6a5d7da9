package dev.mely.examples.proxy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Turns bytes into the heads of messages, whatever pieces they come in. Every line ends with a
 * carriage return and a line feed, and neither stands anywhere else; no line goes on in the next.
 *
 * <p>Belongs to one connection. After it has refused something it must not be asked again.
 */
final class HeadReader {
  /**
   * The head of a message.
   *
   * @param start its first line
   * @param header its fields
   */
  record Head(String start, Header header) {}

  private static final byte[] EMPTY = {};

  private final int maxLine;
  private final int maxHeader;
  private final boolean blankMayLead;

  /** What has come and is not taken, from start to end; no line ends before scanned. */
  private byte[] bytes = EMPTY;

  private int start;
  private int end;
  private int scanned;

  private @Nullable String first;
  private List<Header.Line> lines = new ArrayList<>();
  private int headerBytes;

  /**
   * Begins with nothing.
   *
   * @param maxLine how many bytes the first line may have
   * @param maxHeader how many bytes the fields may have
   * @param blankMayLead whether empty lines before a head are let pass, as RFC 9112, section 2.2,
   *     asks of servers
   */
  HeadReader(int maxLine, int maxHeader, boolean blankMayLead) {
    this.maxLine = maxLine;
    this.maxHeader = maxHeader;
    this.blankMayLead = blankMayLead;
  }

  /** Adds bytes that have come. */
  void feed(ByteBuffer input) {
    int room = end - start + input.remaining();
    if (room > bytes.length - start) {
      byte[] larger = new byte[room];
      System.arraycopy(bytes, start, larger, 0, end - start);
      scanned -= start;
      end -= start;
      start = 0;
      bytes = larger;
    }
    int length = input.remaining();
    input.get(bytes, end, length);
    end += length;
  }

  /** Whether a head has begun and not ended, or something stands behind the last one. */
  boolean hasUnread() {
    return start < end || first != null;
  }

  /** Takes what stands behind the head that was read last. */
  ByteBuffer rest() {
    ByteBuffer rest = ByteBuffer.wrap(bytes, start, end - start);
    clear();
    return rest;
  }

  /** The next head that is complete; null: more bytes are needed. */
  @Nullable Head next() throws Malformed {
    while (true) {
      String line = line();
      if (line == null) {
        return null;
      }
      if (first == null) {
        if (!line.isEmpty()) {
          first = line;
        } else if (!blankMayLead) {
          throw new Malformed("the message begins with an empty line");
        }
      } else if (line.isEmpty()) {
        Head head = new Head(first, new Header(lines));
        first = null;
        lines = new ArrayList<>();
        headerBytes = 0;
        if (start == end) {
          clear(); // an idle connection holds nothing
        }
        return head;
      } else {
        lines.add(Header.Line.parse(line));
      }
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
    if (first == null && length > maxLine) {
      throw new Malformed(
          Malformed.Kind.LINE_TOO_LONG, "the first line has more than " + maxLine + " bytes");
    }
    if (first != null && headerBytes + length > maxHeader) {
      throw new Malformed(
          Malformed.Kind.HEADER_TOO_LONG, "the header has more than " + maxHeader + " bytes");
    }
  }
}
