package dev.mely.examples.sws;

import dev.mely.examples.http.ChunkSizes;
import dev.mely.examples.http.Malformed;
import dev.mely.examples.http.RequestLine;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpConstants;
import java.nio.charset.StandardCharsets;

/**
 * A second look at the lines that Netty's decoder has taken, for what its strict settings let pass:
 * any white space between the words of a request line, halves of line ends before it, field values
 * that go on in the next line, several lengths in HTTP/1.0, and behind a chunk's size what is no
 * extension. Where two servers in a row read such bytes differently, one request hides in another.
 * That lines end as they must, and chunks where they say, the decoder has seen itself.
 *
 * <p>Given each byte that the decoder has consumed, once and in order: whole lines, but for line
 * ends before a request. One connection's; not thread-safe.
 */
final class FramingCheck {
  /** Where the next byte belongs. */
  private enum Part {
    REQUEST_LINE,
    FIELD,
    SIZE,
    DATA,
    TRAILER,
    /** Of a known length, or behind what is wrong. */
    SKIPPED
  }

  private static final String LENGTH = "content-length:";

  private Part part = Part.REQUEST_LINE;

  /** Before the request line a carriage return has come, and not its line feed. */
  private boolean inLineEnd;

  private boolean lineWrong;

  /** Content-Length fields of the header: the decoder takes any number of them in HTTP/1.0. */
  private int lengths;

  private ChunkSizes sizes = ChunkSizes.ofRequest();

  /** What is left of a chunk, with its line end. */
  private long left;

  /** A new request begins. */
  void begin() {
    part = Part.REQUEST_LINE;
    lengths = 0;
  }

  /** Whether a request line was wrong, so that what the decoder makes of it means nothing. */
  boolean isLineWrong() {
    return lineWrong;
  }

  /** The header has ended. */
  void body(boolean chunked) {
    part = chunked ? Part.SIZE : Part.SKIPPED;
    sizes = ChunkSizes.ofRequest();
  }

  /** Looks at consumed bytes; false: they are not as they must be. */
  boolean accepts(ByteBuf bytes, int from, int to) {
    int at = from;
    while (at < to && part != Part.SKIPPED) {
      if (part == Part.DATA) {
        int passed = (int) Math.min(left, to - at);
        left -= passed;
        at += passed;
        part = left == 0 ? Part.SIZE : Part.DATA;
      } else if (part == Part.REQUEST_LINE && bytes.getByte(at) == nextOfLineEnd()) {
        inLineEnd = !inLineEnd; // an empty line before a request is let pass
        at++;
      } else {
        int end = bytes.indexOf(at, to, HttpConstants.LF);
        if (end < 0) {
          return true; // the decoder has given up
        }
        if (!acceptsLine(bytes, at, end)) {
          lineWrong = part == Part.REQUEST_LINE;
          part = Part.SKIPPED;
          return false;
        }
        at = end + 1;
      }
    }
    return true;
  }

  private byte nextOfLineEnd() {
    return inLineEnd ? HttpConstants.LF : HttpConstants.CR;
  }

  private boolean acceptsLine(ByteBuf bytes, int from, int end) {
    try {
      switch (part) {
        case REQUEST_LINE -> {
          RequestLine.parse(text(bytes, from, end));
          if (inLineEnd) {
            return false;
          }
          part = Part.FIELD;
          return true;
        }
        case SIZE -> {
          long size = sizes.next(text(bytes, from, end));
          left = size + 2;
          part = size == 0 ? Part.TRAILER : Part.DATA;
          return true;
        }
        default -> {
          byte first = bytes.getByte(from);
          boolean another = part == Part.FIELD && isLength(bytes, from, end) && ++lengths > 1;
          return first != ' ' && first != '\t' && !another;
        }
      }
    } catch (Malformed wrong) {
      return false;
    }
  }

  /** A line without its end. */
  private static String text(ByteBuf bytes, int from, int end) {
    boolean returned = end > from && bytes.getByte(end - 1) == HttpConstants.CR;
    int length = end - from - (returned ? 1 : 0);
    return bytes.toString(from, length, StandardCharsets.ISO_8859_1);
  }

  private static boolean isLength(ByteBuf bytes, int from, int end) {
    return end - from > LENGTH.length()
        && (bytes.getByte(from) | 0x20) == 'c'
        && LENGTH.equalsIgnoreCase(
            bytes.toString(from, LENGTH.length(), StandardCharsets.US_ASCII));
  }
}
