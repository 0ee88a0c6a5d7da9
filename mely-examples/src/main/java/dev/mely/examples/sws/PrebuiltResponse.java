package dev.mely.examples.sws;

import dev.mely.examples.http.HttpClock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A small file in memory, with the header of its response complete except for the date. Shared by
 * all connections; immutable except for the second in which it was last compared with the disk.
 */
final class PrebuiltResponse implements Found {
  /** Up to this size, copying the body after the header is cheaper than a second buffer. */
  private static final int COPY_LIMIT = 4096;

  private static final byte[] CLOSE = ascii("connection: close\r\n\r\n");
  private static final byte[] KEEP_ALIVE = ascii("connection: keep-alive\r\n\r\n");
  private static final byte[] END = ascii("\r\n");
  private static final byte[] NOTHING = {};

  private final Representation file;

  /** Stamp of its path when it was read; null if a stamp cannot show later changes. */
  private final @Nullable FileStamp stamp;

  /** The header without the lines that depend on the time. */
  private final byte[] head;

  private final long lastModifiedSecond;
  private final byte[] lastModified;

  /** Handed out as duplicates only. */
  private final ByteBuffer body;

  /** A copy of a short body, to be copied after the header; else empty. */
  private final byte[] shortBody;

  /** A benign race: a lost update costs one more look at the disk. */
  private long checkedSecond;

  private PrebuiltResponse(
      Representation file, @Nullable FileStamp stamp, ByteBuffer body, HttpClock now) {
    this.file = file;
    this.stamp = stamp;
    this.body = body;
    shortBody = new byte[body.remaining() <= COPY_LIMIT ? body.remaining() : 0];
    body.get(0, shortBody);
    this.checkedSecond = now.second();
    this.lastModifiedSecond = file.lastModified(now);
    this.lastModified = lastModified(lastModifiedSecond);
    this.head =
        ascii(
            "HTTP/1.1 200 OK\r\nserver: "
                + Answer.SERVER
                + "\r\ncontent-type: "
                + file.type()
                + "\r\ncontent-length: "
                + file.size()
                + "\r\netag: "
                + file.tag()
                + "\r\naccept-ranges: bytes\r\nx-content-type-options: nosniff\r\n");
  }

  /**
   * Reads a file to keep.
   *
   * @param path leads to the file
   * @param millis the time before it was opened
   * @return null if the file is being written to, or its path leads to another one
   */
  static @Nullable PrebuiltResponse read(ServedFolder.OpenFile open, Path path, long millis)
      throws IOException, Refusal {
    FileStamp before = FileStamp.of(path, LinkOption.NOFOLLOW_LINKS);
    if (before == null || !before.isOf(open.info())) {
      return null;
    }
    boolean settled = before.isSettledAt(millis);
    PrebuiltResponse response = read(open, settled ? before : null, HttpClock.now());
    // If a program wrote to it meanwhile, the content may be a mix of versions.
    return before.equals(FileStamp.of(path, LinkOption.NOFOLLOW_LINKS)) ? response : null;
  }

  /**
   * Reads an open file into a response.
   *
   * @param stamp of its path after it was opened; null if a stamp cannot show later changes
   * @throws Refusal if it is shorter by now
   */
  static PrebuiltResponse read(ServedFolder.OpenFile open, @Nullable FileStamp stamp, HttpClock now)
      throws IOException, Refusal {
    int size = Math.toIntExact(open.info().size());
    // Direct memory owned by the JDK: no leak when an entry is replaced, no copy when it is sent.
    ByteBuffer bytes =
        open.read(size <= COPY_LIMIT ? ByteBuffer.allocate(size) : ByteBuffer.allocateDirect(size));
    Representation file = Representation.of(open.info(), EntityTag.ofContent(bytes));
    return new PrebuiltResponse(file, stamp, bytes.asReadOnlyBuffer(), now);
  }

  /** Whether a stamp of its path says that the file is unchanged since it was read. */
  boolean isOf(@Nullable FileStamp look) {
    return stamp != null && stamp.equals(look);
  }

  Representation file() {
    return file;
  }

  /** Whether the disk was looked at in this second. */
  boolean isFresh(HttpClock now) {
    return checkedSecond == now.second();
  }

  void checked(HttpClock now) {
    checkedSecond = now.second();
  }

  /** Whether {@link #content} must be sent after {@link #pieces}. */
  boolean hasContentBehind(Request request) {
    return !request.head() && body.remaining() > COPY_LIMIT;
  }

  /** The header with date and Connection, followed by a short body. */
  byte[][] pieces(Request request, HttpClock now) {
    byte[] end = !request.keepAlive() ? CLOSE : request.http10() ? KEEP_ALIVE : END;
    return new byte[][] {
      head, lastModified(now), now.line(), end, request.head() ? NOTHING : shortBody
    };
  }

  private byte[] lastModified(HttpClock now) {
    long second = file.lastModified(now);
    return second == lastModifiedSecond ? lastModified : lastModified(second);
  }

  private static byte[] lastModified(long second) {
    return ascii("last-modified: " + HttpClock.format(second) + "\r\n");
  }

  /** A part of the body, or all of it. */
  ByteBuffer content(long first, long length) {
    return body.slice((int) first, (int) length);
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
