package dev.mely.examples.http;

import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Extracts a message's body from the input and finds its end (RFC 9112, section 6.3). Refuses
 * everything that another reader could frame differently (request smuggling). Chunk extensions and
 * trailers are checked and dropped.
 */
public final class BodyReader {
  /** How the end of a body is found. */
  public enum Kind {
    /** There is no body. */
    NONE,
    /** It has a length. */
    LENGTH,
    /** It is in chunks, and the last one is marked. */
    CHUNKED,
    /** It ends with the connection. */
    UNTIL_CLOSE
  }

  /** What the next bytes of a chunked body are. */
  private enum Part {
    SIZE,
    DATA,
    DATA_END,
    TRAILER
  }

  private final Kind kind;
  private final @Nullable ChunkSizes sizes;

  /** How many bytes were announced, by the header or by the chunks so far. */
  private long length;

  /** What is left of the body, or of the chunk. */
  private long left;

  private Part part = Part.SIZE;
  private final StringBuilder line = new StringBuilder();
  private int trailerBytes;
  private boolean complete;

  private BodyReader(Kind kind, long length, @Nullable ChunkSizes sizes) {
    this.kind = kind;
    this.length = length;
    this.sizes = sizes;
    left = length;
    complete = kind == Kind.NONE || (kind == Kind.LENGTH && length == 0);
  }

  /** No body. */
  public static BodyReader none() {
    return new BodyReader(Kind.NONE, 0, null);
  }

  /** A body of {@code length} bytes. */
  public static BodyReader ofLength(long length) {
    return new BodyReader(Kind.LENGTH, length, null);
  }

  /** A body in chunks. */
  public static BodyReader chunked(ChunkSizes sizes) {
    return new BodyReader(Kind.CHUNKED, 0, sizes);
  }

  /**
   * The body of a request. Any transfer coding is taken for chunked; the caller checks it.
   *
   * @throws Malformed if both length and coding are given, or a length that is not a number
   */
  public static BodyReader ofRequest(Header header) throws Malformed {
    long length = header.contentLength();
    if (!header.contains("transfer-encoding")) {
      return ofLength(Math.max(0, length));
    }
    if (length >= 0) {
      throw new Malformed("the end of the body is given twice");
    }
    return chunked(ChunkSizes.ofRequest());
  }

  /** A body that ends with its connection. */
  public static BodyReader untilClose() {
    return new BodyReader(Kind.UNTIL_CLOSE, 0, null);
  }

  /** How the end is found. */
  public Kind kind() {
    return kind;
  }

  /** How many bytes of content were announced: by the header, or by the chunks so far. */
  public long length() {
    return length;
  }

  /** Whether the whole body has been read. */
  public boolean isComplete() {
    return complete;
  }

  /** The sender has closed the connection; returns false if that truncates the body. */
  public boolean close() {
    if (kind == Kind.UNTIL_CLOSE) {
      complete = true;
    }
    return complete;
  }

  /**
   * Reads up to the end of the input or of the body.
   *
   * @param content is given the next piece, which it must not keep
   */
  public void read(ByteBuffer input, Consumer<ByteBuffer> content) throws Malformed {
    while (!complete && input.hasRemaining()) {
      switch (kind) {
        case UNTIL_CLOSE -> {
          content.accept(input.slice());
          input.position(input.limit());
        }
        case LENGTH -> {
          take(input, content);
          complete = left == 0;
        }
        case CHUNKED -> chunked(input, content);
        case NONE -> throw new AssertionError("it is complete");
      }
    }
  }

  private void take(ByteBuffer input, Consumer<ByteBuffer> content) {
    int taken = (int) Math.min(left, input.remaining());
    content.accept(input.slice(input.position(), taken));
    input.position(input.position() + taken);
    left -= taken;
  }

  private void chunked(ByteBuffer input, Consumer<ByteBuffer> content) throws Malformed {
    if (part == Part.DATA) {
      take(input, content);
      part = left == 0 ? Part.DATA_END : Part.DATA;
      return;
    }
    if (!line(input)) {
      return;
    }
    String text = line.toString();
    line.setLength(0);
    switch (part) {
      case SIZE -> {
        left = Objects.requireNonNull(sizes).next(text);
        length += left;
        part = left == 0 ? Part.TRAILER : Part.DATA;
      }
      case DATA_END -> part = Part.SIZE; // the line is empty: a longer one is refused
      case TRAILER -> {
        if (text.isEmpty()) {
          complete = true;
        } else {
          Header.Line.parse(text);
        }
      }
      case DATA -> throw new AssertionError("not a line");
    }
  }

  /** Collects a line, without its end; returns whether it is complete. */
  private boolean line(ByteBuffer input) throws Malformed {
    while (input.hasRemaining()) {
      byte next = input.get();
      boolean afterReturn = line.length() > 0 && line.charAt(line.length() - 1) == '\r';
      if (next == '\n' && afterReturn) {
        line.setLength(line.length() - 1);
        return true;
      }
      if (next == '\n' || afterReturn) {
        throw new Malformed("a line of a chunked body does not end with CR LF");
      }
      line.append((char) (next & 0xff));
      count(next);
    }
    return false;
  }

  private void count(byte next) throws Malformed {
    switch (part) {
      case SIZE -> {
        if (line.length() > ChunkSizes.MAX_LINE) {
          throw new Malformed("the extensions of a chunk are too long");
        }
      }
      case DATA_END -> {
        if (next != '\r') {
          throw new Malformed("a chunk is longer than announced");
        }
      }
      default -> {
        trailerBytes++;
        if (trailerBytes > HeadReader.MAX_HEADER) {
          throw new Malformed(Malformed.Kind.HEADER_TOO_LONG, "the trailer is too long");
        }
      }
    }
  }
}
