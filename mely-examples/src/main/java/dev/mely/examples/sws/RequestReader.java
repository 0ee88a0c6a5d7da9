package dev.mely.examples.sws;

import dev.mely.stage.Stages;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Turns bytes into requests, whatever pieces they come in; bodies are read and dropped. The grammar
 * is that of RFC 9112, without what it lets a recipient be lenient about: where two readers could
 * disagree about the end of a request, it is refused. What a request must be beyond that is said by
 * {@link RequestRules}, for both servers.
 *
 * <p>Belongs to one connection. After a refusal that ends the connection nothing is read any more.
 */
final class RequestReader {
  /** What the next bytes are. */
  private enum Part {
    REQUEST_LINE,
    FIELD,
    /** Of a known length. */
    BODY,
    CHUNK_SIZE,
    CHUNK,
    CHUNK_END,
    TRAILER,
    /** Behind the last request that is read. */
    NOTHING
  }

  /** What stages know the bytes by that have come and are not taken. */
  static final String OBJECT = "request";

  private static final byte[] EMPTY = {};
  private static final String VERSION = "HTTP/";

  /** What has come and is not taken, from start to end; no line ends before scanned. */
  private byte[] bytes = EMPTY;

  private int start;
  private int end;
  private int scanned;

  private Part part = Part.REQUEST_LINE;

  // Of the request that is being read.
  private String method = "";
  private String target = "";
  private int minor;
  private Fields.Collected fields = new Fields.Collected();
  private int headerBytes;
  private @Nullable Refusal refusal;

  /** What is left of the body, or of the chunk. */
  private long left;

  private long bodyBytes;
  private boolean continueWanted;

  /** Adds bytes that have come. */
  void feed(ByteBuffer input) {
    int room = end - start + input.remaining();
    if (part == Part.NOTHING) {
      input.position(input.limit());
      return;
    }
    if (room > bytes.length - start) {
      byte[] larger = new byte[room];
      Stages.allocated(OBJECT, room, 1); // the smaller one is the collector's, and not counted
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

  /** Whether the client has begun a request and not ended it, or sent others behind it. */
  boolean hasUnread() {
    return start < end || (part != Part.REQUEST_LINE && part != Part.NOTHING);
  }

  /** Whether a client waits to be told that it may send its body; true once. */
  boolean takeContinue() {
    boolean wanted = continueWanted;
    continueWanted = false;
    return wanted;
  }

  /** The next request that is complete; null: more bytes are needed. */
  @Nullable Request next() {
    Request request = null;
    try {
      while (request == null && part != Part.NOTHING) {
        if (part == Part.BODY || part == Part.CHUNK) {
          if (!skip()) {
            break;
          }
          request = part == Part.BODY ? complete() : null;
          if (part == Part.CHUNK) {
            part = Part.CHUNK_END;
          }
        } else {
          String line = line();
          if (line == null) {
            break;
          }
          request = line(line);
        }
      }
    } catch (Refusal wrong) {
      request = refused(wrong);
    }
    if (start == end) {
      if (bytes.length > 0) {
        Stages.freed(OBJECT, bytes.length);
      }
      bytes = EMPTY; // an idle connection holds nothing
      start = 0;
      end = 0;
      scanned = 0;
    }
    return request;
  }

  // ---- Lines

  /** The next line without its end; null: it is not complete. */
  private @Nullable String line() throws Refusal {
    if (part == Part.CHUNK_END && !mayBeLineEnd()) {
      throw wrong(); // nothing else may follow a chunk, whether or not a line ends there
    }
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
      throw wrong();
    }
    headerBytes += part == Part.FIELD || part == Part.TRAILER ? length + 1 : 0;
    String line = new String(bytes, start, length - 1, StandardCharsets.ISO_8859_1);
    start = at + 1;
    scanned = start;
    if (line.indexOf('\r') >= 0) {
      throw wrong();
    }
    return line;
  }

  /** Whether what has come is nothing but the end of a line, or the beginning of one. */
  private boolean mayBeLineEnd() {
    return (start == end || bytes[start] == '\r') && (end - start < 2 || bytes[start + 1] == '\n');
  }

  private void count(int length) throws Refusal {
    switch (part) {
      case REQUEST_LINE -> {
        if (length > RequestRules.MAX_LINE) {
          throw RequestRules.lineTooLong();
        }
      }
      case FIELD, TRAILER -> {
        if (headerBytes + length > RequestRules.MAX_HEADER) {
          throw RequestRules.headerTooLong();
        }
      }
      default -> {
        if (length > RequestRules.MAX_LINE) {
          throw RequestRules.malformedBody();
        }
      }
    }
  }

  private Refusal wrong() {
    return part == Part.REQUEST_LINE || part == Part.FIELD
        ? RequestRules.malformed()
        : RequestRules.malformedBody();
  }

  /** Takes a line; returns a request if it was the last of one. */
  private @Nullable Request line(String line) throws Refusal {
    switch (part) {
      case REQUEST_LINE -> requestLine(line);
      case FIELD -> {
        if (line.isEmpty()) {
          return header();
        }
        field(line, true);
      }
      case CHUNK_SIZE -> chunkSize(line);
      case CHUNK_END -> {
        if (!line.isEmpty()) {
          throw wrong();
        }
        part = Part.CHUNK_SIZE;
      }
      case TRAILER -> {
        if (line.isEmpty()) {
          return complete();
        }
        field(line, false);
      }
      default -> throw new AssertionError(part);
    }
    return null;
  }

  /** Three words with one space between them. An empty line before a request is let pass. */
  private void requestLine(String line) throws Refusal {
    if (line.isEmpty()) {
      return;
    }
    int first = line.indexOf(' ');
    int last = line.lastIndexOf(' ');
    String version = line.substring(last + 1);
    if (first <= 0
        || last <= first + 1
        || line.indexOf(' ', first + 1) != last
        || !version.startsWith(VERSION)
        || version.length() != VERSION.length() + 3
        || version.charAt(VERSION.length() + 1) != '.') {
      throw wrong();
    }
    int major = digit(version.charAt(VERSION.length()));
    minor = digit(version.charAt(VERSION.length() + 2));
    String name = line.substring(first + 1, last);
    if (!isToken(line, first) || !name.chars().allMatch(c -> c > ' ' && c != 0x7f)) {
      throw wrong();
    }
    method = line.substring(0, first);
    target = name;
    if (major != 1) {
      throw RequestRules.versionNotSupported();
    }
    part = Part.FIELD;
  }

  private int digit(char c) throws Refusal {
    if (c < '0' || c > '9') {
      throw wrong();
    }
    return c - '0';
  }

  private static boolean isToken(String text, int end) {
    for (int i = 0; i < end; i++) {
      if (!Characters.isToken(text.charAt(i))) {
        return false;
      }
    }
    return end > 0;
  }

  private void field(String line, boolean kept) throws Refusal {
    int colon = line.indexOf(':');
    if (colon <= 0 || !isToken(line, colon)) {
      throw wrong();
    }
    int from = colon + 1;
    int to = line.length();
    while (from < to && Characters.isBlank(line.charAt(from))) {
      from++;
    }
    while (to > from && Characters.isBlank(line.charAt(to - 1))) {
      to--;
    }
    for (int i = from; i < to; i++) {
      char c = line.charAt(i);
      if ((c < ' ' && c != '\t') || c == 0x7f) {
        throw wrong();
      }
    }
    Field field = kept ? Field.of(line.substring(0, colon).toLowerCase(Locale.ROOT)) : null;
    if (field != null) {
      fields.add(field, line.substring(from, to));
    }
  }

  /** The header has ended. Returns the request if that has ended, too. */
  private @Nullable Request header() throws Refusal {
    long length = length();
    refusal = RequestRules.check(method, minor, fields, length);
    if (refusal != null && refusal.isClosing()) {
      throw refusal;
    }
    if (RequestRules.expectsContinue(minor, fields, length)) {
      if (refusal != null) {
        // The client holds the body back until it hears from us; what it sends next is unclear.
        throw Refusal.closing(refusal.status(), refusal.reason());
      }
      continueWanted = true;
    }
    headerBytes = 0;
    if (fields.contains(Field.TRANSFER_ENCODING)) {
      part = Part.CHUNK_SIZE;
      return null;
    }
    left = length;
    part = Part.BODY;
    return left == 0 ? complete() : null;
  }

  /** How long the body is if its length is given: once, in digits, and in no other way as well. */
  private long length() throws Refusal {
    var lengths = fields.getAll(Field.CONTENT_LENGTH);
    if (lengths.isEmpty()) {
      return 0;
    }
    String digits = lengths.get(0);
    if (lengths.size() > 1
        || fields.contains(Field.TRANSFER_ENCODING)
        || digits.isEmpty()
        || !digits.chars().allMatch(c -> c >= '0' && c <= '9')) {
      throw wrong();
    }
    try {
      return Long.parseLong(digits);
    } catch (NumberFormatException tooLarge) {
      throw wrong();
    }
  }

  private void chunkSize(String line) throws Refusal {
    int at = 0;
    left = 0;
    while (at < line.length() && HostPort.isHex(line.charAt(at))) {
      left = left << 4 | Character.digit(line.charAt(at), 16);
      if (left > Integer.MAX_VALUE) {
        throw wrong();
      }
      at++;
    }
    if (at == 0 || !ChunkExtensions.areValid(line, at)) {
      throw wrong();
    }
    bodyBytes += left;
    if (bodyBytes > RequestRules.MAX_BODY) {
      throw RequestRules.tooLarge();
    }
    part = left == 0 ? Part.TRAILER : Part.CHUNK;
  }

  // ---- Bodies and ends

  /** Drops bytes of a body; false: there are more to come. */
  private boolean skip() {
    int dropped = (int) Math.min(left, end - start);
    start += dropped;
    scanned = start;
    left -= dropped;
    return left == 0;
  }

  private Request complete() {
    Request request =
        new Request(
            method.equals("HEAD"),
            target,
            fields,
            minor == 0,
            RequestRules.isKeepAlive(minor, fields),
            refusal);
    part = Part.REQUEST_LINE;
    method = ""; // else a refusal of the next request would be an answer to this one's method
    target = "";
    fields = new Fields.Collected();
    refusal = null;
    headerBytes = 0;
    bodyBytes = 0;
    return request;
  }

  /** The last request: nothing behind it can be relied upon. */
  private Request refused(Refusal wrong) {
    part = Part.NOTHING;
    start = end;
    return new Request(method.equals("HEAD"), target, fields, minor == 0, false, wrong);
  }

  /** What has come and is not taken, for messages. */
  @Override
  public String toString() {
    return part + " " + Arrays.toString(Arrays.copyOfRange(bytes, start, end));
  }
}
