package dev.mely.examples.sws;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * A small file in memory, with the header of its response ready but for the date. Immutable and
 * shared by all connections, but for the second in which it was last compared with the disk.
 */
final class PrebuiltResponse implements Found {
  /** Up to this size, copying the body behind the header is cheaper than a second buffer. */
  private static final int COPY_LIMIT = 4096;

  private static final byte[] CLOSE = ascii("connection: close\r\n");
  private static final byte[] KEEP_ALIVE = ascii("connection: keep-alive\r\n");
  private static final byte[] END = ascii("\r\n");

  private final FileInfo file;
  private final byte[] head;

  /** Given out as duplicates only. */
  private final ByteBuffer body;

  /** The body once more if it is copied behind the header, else nothing. */
  private final byte[] shortBody;

  /** Racy on purpose: a lost update costs one look at the disk. */
  private long checkedSecond;

  private PrebuiltResponse(FileInfo file, ByteBuffer body, HttpClock now) {
    this.file = file;
    this.body = body;
    shortBody = new byte[body.remaining() <= COPY_LIMIT ? body.remaining() : 0];
    body.get(0, shortBody);
    this.checkedSecond = now.second();
    this.head =
        ascii(
            "HTTP/1.1 200 OK\r\nserver: "
                + Answer.SERVER
                + "\r\ncontent-type: "
                + file.contentType()
                + "\r\ncontent-length: "
                + file.size()
                + "\r\netag: "
                + file.etag()
                + "\r\nlast-modified: "
                + file.lastModified()
                + "\r\naccept-ranges: bytes\r\nx-content-type-options: nosniff\r\n");
  }

  /**
   * Reads an open file into a response.
   *
   * @throws IOException if it cannot be read in full
   */
  static PrebuiltResponse read(ServedFolder.OpenFile open, HttpClock now) throws IOException {
    FileInfo file = open.info();
    int size = Math.toIntExact(file.size());
    // Direct memory owned by the JDK: no leak when an entry is replaced, no copy when it is sent.
    ByteBuffer bytes =
        size <= COPY_LIMIT ? ByteBuffer.allocate(size) : ByteBuffer.allocateDirect(size);
    while (bytes.hasRemaining()) {
      if (open.channel().read(bytes) < 0) {
        throw new EOFException("a file shrank while it was read");
      }
    }
    bytes.flip();
    return new PrebuiltResponse(file, bytes.asReadOnlyBuffer(), now);
  }

  FileInfo file() {
    return file;
  }

  /** Whether the disk was looked at in this second. */
  boolean isFresh(HttpClock now) {
    return checkedSecond == now.second();
  }

  void checked(HttpClock now) {
    checkedSecond = now.second();
  }

  /** Takes the pieces of a response. */
  @FunctionalInterface
  interface Sink {
    void put(byte[] bytes);
  }

  /** Whether {@link #content()} must follow what {@link #write} puts. */
  boolean hasContentBehind(Request request) {
    return !request.head() && body.remaining() > COPY_LIMIT;
  }

  /** How many bytes {@link #write} puts. */
  int length(Request request, HttpClock now) {
    int length = head.length + now.line().length + END.length;
    if (!request.keepAlive()) {
      length += CLOSE.length;
    } else if (request.http10()) {
      length += KEEP_ALIVE.length;
    }
    return request.head() ? length : length + shortBody.length;
  }

  /** The header, with the date and how the connection goes on, and a short body behind it. */
  void write(Request request, HttpClock now, Sink sink) {
    sink.put(head);
    sink.put(now.line());
    if (!request.keepAlive()) {
      sink.put(CLOSE);
    } else if (request.http10()) {
      sink.put(KEEP_ALIVE);
    }
    sink.put(END);
    if (!request.head()) {
      sink.put(shortBody);
    }
  }

  /** The whole body. */
  ByteBuffer content() {
    return body.duplicate();
  }

  /** A part of the body. */
  ByteBuffer content(RangeHeader range) {
    return body.slice((int) range.first(), (int) range.length());
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
