package dev.mely.examples.proxy;

import dev.mely.examples.sws.Characters;
import dev.mely.examples.sws.ChunkExtensions;
import dev.mely.examples.sws.HostPort;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/**
 * Takes the content of a response out of the bytes that come, and knows where it ends (RFC 9112,
 * section 6.3). Nothing is let pass about which another reader could think otherwise. Extensions of
 * chunks and trailers are checked and dropped.
 */
final class BodyReader {
  /** How the end of a body is found. */
  enum Kind {
    NONE,
    LENGTH,
    CHUNKED,
    UNTIL_CLOSE
  }

  /** What the next bytes of a chunked body are. */
  private enum Part {
    SIZE,
    DATA,
    DATA_END,
    TRAILER
  }

  private static final int MAX_SIZE_DIGITS = 15;

  /** How long a line with the size of a chunk may be. */
  private static final int MAX_SIZE_LINE = 4 * 1024;

  /** How much more than the content all extensions together may be. */
  private static final int MAX_EXTENSIONS = 16 * 1024;

  private static final int MAX_TRAILER = 16 * 1024;

  private final Kind kind;
  private final long length;

  /** What is left of the body, or of the chunk. */
  private long left;

  private Part part = Part.SIZE;
  private final StringBuilder line = new StringBuilder();
  private int trailerBytes;

  /** Those of the extensions so far, less those of the content. */
  private long excess;

  private boolean complete;

  private BodyReader(Kind kind, long length) {
    this.kind = kind;
    this.length = length;
    left = length;
    complete = kind == Kind.NONE || (kind == Kind.LENGTH && length == 0);
  }

  static BodyReader none() {
    return new BodyReader(Kind.NONE, 0);
  }

  static BodyReader ofLength(long length) {
    return new BodyReader(Kind.LENGTH, length);
  }

  static BodyReader chunked() {
    return new BodyReader(Kind.CHUNKED, 0);
  }

  static BodyReader untilClose() {
    return new BodyReader(Kind.UNTIL_CLOSE, 0);
  }

  Kind kind() {
    return kind;
  }

  /** How many bytes were announced, if they were. */
  long length() {
    return length;
  }

  /** Whether all of the body has come. */
  boolean isComplete() {
    return complete;
  }

  /** The sender has closed the connection; false: that cut the body short. */
  boolean close() {
    if (kind == Kind.UNTIL_CLOSE) {
      complete = true;
    }
    return complete;
  }

  /**
   * Reads on, to the end of the input or that of the body.
   *
   * @param content is given the next piece, which it must not keep
   */
  void read(ByteBuffer input, Consumer<ByteBuffer> content) throws Malformed {
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
        left = size(text);
        excess -= left;
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

  /** Collects a line; true: it is complete, without its end. */
  private boolean line(ByteBuffer input) throws Malformed {
    while (input.hasRemaining()) {
      byte next = input.get();
      boolean afterReturn = line.length() > 0 && line.charAt(line.length() - 1) == '\r';
      if (next == '\n' && afterReturn) {
        line.setLength(line.length() - 1);
        return true;
      }
      if (next == '\n' || afterReturn) {
        throw new Malformed("a line of a chunked body does not end as lines do");
      }
      line.append((char) (next & 0xff));
      count(next);
    }
    return false;
  }

  private void count(byte next) throws Malformed {
    switch (part) {
      case SIZE -> {
        excess += line.length() > MAX_SIZE_DIGITS ? 1 : 0;
        if (line.length() > MAX_SIZE_LINE || excess > MAX_EXTENSIONS) {
          throw new Malformed("the extensions of a chunk are too long");
        }
      }
      case DATA_END -> {
        if (next != '\r') {
          throw new Malformed("a chunk is longer than it says");
        }
      }
      default -> {
        trailerBytes++;
        if (trailerBytes > MAX_TRAILER) {
          throw new Malformed("the trailer is too long");
        }
      }
    }
  }

  /** Reads the size of a chunk; behind it stand extensions, or some have filled up with blanks. */
  private static long size(String line) throws Malformed {
    int digits = 0;
    long size = 0;
    while (digits < line.length() && HostPort.isHex(line.charAt(digits))) {
      size = size << 4 | Character.digit(line.charAt(digits), 16);
      digits++;
    }
    if (digits == 0 || digits > MAX_SIZE_DIGITS) {
      throw new Malformed("a chunk has no size, or too large a one");
    }
    if (!line.chars().skip(digits).allMatch(c -> Characters.isBlank((char) c))
        && !ChunkExtensions.areValid(line, digits)) {
      throw new Malformed("what stands behind the size of a chunk is no extension");
    }
    return size;
  }
}
