package dev.mely.examples.proxy;

import dev.mely.examples.http.Header;
import dev.mely.examples.http.HttpClock;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Set;

/** Formats heads of messages. Their fields were checked when they were parsed. */
final class Replies {
  static final byte[] CONTINUE_TUNNEL =
      "HTTP/1.1 200 Connection established\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
  static final byte[] LAST_CHUNK = "0\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] LINE_END = "\r\n".getBytes(StandardCharsets.US_ASCII);

  /** Fields of a 304 (RFC 9110, section 15.4.5), and those that name its source. */
  private static final Set<String> OF_NOT_MODIFIED =
      Set.of(
          "cache-control",
          "content-location",
          "date",
          "etag",
          "expires",
          "vary",
          "last-modified",
          "age",
          "via",
          "cache-status");

  private Replies() {}

  /** The head of a response. */
  static ByteBuffer head(int status, String reason, Header header, boolean keepAlive) {
    Header all = keepAlive ? header : header.with("Connection", "close");
    return ByteBuffer.wrap(all.head("HTTP/1.1 " + status + " " + reason));
  }

  /** The head of a request. */
  static ByteBuffer question(String method, Target target, Header header) {
    String start = method + ' ' + target.path() + " HTTP/1.1\r\nHost: " + target.hostField();
    return ByteBuffer.wrap(header.with("Connection", "close").head(start));
  }

  /** A chunk with its size line and line ends. */
  static ByteBuffer chunk(byte[] content) {
    byte[] size =
        (Integer.toHexString(content.length) + "\r\n").getBytes(StandardCharsets.US_ASCII);
    ByteBuffer chunk = ByteBuffer.allocate(size.length + content.length + LINE_END.length);
    return chunk.put(size).put(content).put(LINE_END).flip();
  }

  /** The part of a response's header that a 304 repeats. */
  static Header ofNotModified(Header header) {
    return new Header(
        header.lines().stream()
            .filter(line -> OF_NOT_MODIFIED.contains(line.name().toLowerCase(Locale.ROOT)))
            .toList());
  }

  /** A complete error response. */
  static ByteBuffer failure(Failure failure, boolean toHead, boolean keepAlive) {
    byte[] text = (failure.getMessage() + "\n").getBytes(StandardCharsets.UTF_8);
    Header header =
        Header.EMPTY
            .with("Date", HttpClock.now().date())
            .with("Content-Type", "text/plain; charset=utf-8")
            .with("Content-Length", String.valueOf(text.length))
            .with("Cache-Control", "no-store");
    ByteBuffer head = head(failure.status(), failure.reason(), header, keepAlive);
    if (toHead) {
      return head;
    }
    ByteBuffer all = ByteBuffer.allocate(head.remaining() + text.length);
    return all.put(head).put(text).flip();
  }
}
