package dev.mely.examples.sws;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.LinkOption;
import java.nio.file.StandardOpenOption;

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

  /** Never released, since the garbage collector frees it; given out as duplicates only. */
  private final ByteBuf body;

  /** Racy on purpose: a lost update costs one look at the disk. */
  private long checkedSecond;

  private PrebuiltResponse(FileInfo file, ByteBuf body, HttpClock now) {
    this.file = file;
    this.body = body;
    this.checkedSecond = now.second();
    this.head =
        ascii(
            "HTTP/1.1 200 OK\r\nserver: "
                + ResponseWriter.SERVER
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
   * Reads a file into a response.
   *
   * @throws IOException if it cannot be read in full
   */
  static PrebuiltResponse read(FileInfo file, HttpClock now) throws IOException {
    int size = Math.toIntExact(file.size());
    // Direct memory owned by the JDK: no leak when an entry is replaced, no copy when it is sent.
    ByteBuffer bytes =
        size <= COPY_LIMIT ? ByteBuffer.allocate(size) : ByteBuffer.allocateDirect(size);
    try (FileChannel channel =
        FileChannel.open(file.path(), StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
      while (bytes.hasRemaining()) {
        if (channel.read(bytes) < 0) {
          throw new EOFException(file.path() + " shrank while it was read");
        }
      }
    }
    bytes.flip();
    return new PrebuiltResponse(
        file, Unpooled.unreleasableBuffer(Unpooled.wrappedBuffer(bytes)), now);
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

  /** Whether the body goes out in the buffer that {@link #header} returns. */
  private boolean isCopied() {
    return body.readableBytes() <= COPY_LIMIT;
  }

  /** The header, with the date and how the connection goes on, and a short body behind it. */
  ByteBuf header(ByteBufAllocator allocator, Request request, HttpClock now) {
    boolean copied = !request.head() && isCopied();
    byte[] date = now.line();
    int room = head.length + date.length + KEEP_ALIVE.length + END.length;
    ByteBuf buffer = allocator.ioBuffer(copied ? room + body.readableBytes() : room);
    buffer.writeBytes(head).writeBytes(date);
    if (!request.keepAlive()) {
      buffer.writeBytes(CLOSE);
    } else if (request.http10()) {
      buffer.writeBytes(KEEP_ALIVE);
    }
    buffer.writeBytes(END);
    if (copied) {
      buffer.writeBytes(body, body.readerIndex(), body.readableBytes());
    }
    return buffer;
  }

  /** Whether {@link #content()} must follow the header. */
  boolean hasContentAfterHeader(Request request) {
    return !request.head() && !isCopied();
  }

  /** The whole body; need not be released. */
  ByteBuf content() {
    return body.duplicate();
  }

  /** A part of the body; need not be released. */
  ByteBuf content(RangeHeader range) {
    return body.slice((int) range.first(), (int) range.length());
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
