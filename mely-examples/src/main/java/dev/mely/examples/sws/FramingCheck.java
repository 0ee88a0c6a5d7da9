package dev.mely.examples.sws;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpConstants;
import java.nio.charset.StandardCharsets;

/**
 * A second look at the bytes between requests and bodies, stricter than the decoder's.
 *
 * <p>Netty's decoder takes what RFC 9112 lets a recipient take: any white space between the words
 * of a request line, field values that go on in the next line, and behind a chunk's size anything
 * that begins with white space or a control character. Where two servers in a row read such bytes
 * differently, one request hides in another. So whatever is not exactly as the grammar of RFC 9112
 * has it ends the connection. The values of fields are not looked at here.
 *
 * <p>Given each byte that the decoder has consumed, once and in order. One connection's; not
 * thread-safe.
 */
final class FramingCheck {
  /** Where the next byte belongs. */
  private enum Part {
    REQUEST_LINE,
    FIELD_START,
    FIELD,
    SIZE_START,
    SIZE,
    EXTENSIONS,
    DATA,
    DATA_END,
    TRAILER_START,
    TRAILER,
    /** Of a known length, or behind what is wrong. */
    SKIPPED
  }

  private static final String VERSION = "HTTP/";
  private static final String LENGTH = "content-length:";

  private Part part = Part.REQUEST_LINE;

  /** In the request line: spaces seen, bytes of the line, and of its current word. */
  private int spaces;

  private int lineBytes;
  private int wordBytes;

  private boolean lineWrong;

  /** Content-Length fields of the header: the decoder takes any number of them in HTTP/1.0. */
  private int lengths;

  /** A carriage return was last, which must be followed by a line feed. */
  private boolean carriageReturn;

  /** Of the current chunk: its size, or what is left of its data. */
  private long size;

  /** What stands behind that size, in the same line. */
  private final StringBuilder extensions = new StringBuilder(0);

  /** A new request begins. */
  void begin() {
    part = Part.REQUEST_LINE;
    spaces = 0;
    lineBytes = 0;
    wordBytes = 0;
    lengths = 0;
    carriageReturn = false;
  }

  /** Whether a request line was wrong, so that what the decoder makes of it means nothing. */
  boolean isLineWrong() {
    return lineWrong;
  }

  /** The header has ended. */
  void body(boolean chunked) {
    part = chunked ? Part.SIZE_START : Part.SKIPPED;
    size = 0;
    carriageReturn = false;
  }

  /** Looks at consumed bytes; false: they are not as they must be. */
  boolean accepts(ByteBuf bytes, int from, int to) {
    int at = from;
    while (at < to) {
      switch (part) {
        case SKIPPED -> {
          return true;
        }
        case FIELD, TRAILER -> {
          int end = bytes.indexOf(at, to, HttpConstants.LF);
          if (end < 0) {
            return true;
          }
          part = part == Part.FIELD ? Part.FIELD_START : Part.TRAILER_START;
          at = end + 1;
        }
        case DATA -> {
          int passed = (int) Math.min(size, to - at);
          size -= passed;
          at += passed;
          part = size == 0 ? Part.DATA_END : Part.DATA;
        }
        default -> {
          if (part == Part.FIELD_START && isLength(bytes, at, to) && ++lengths > 1) {
            part = Part.SKIPPED;
            return false;
          }
          boolean inLine = part == Part.REQUEST_LINE;
          if (!accepts(bytes.getByte(at))) {
            part = Part.SKIPPED;
            lineWrong = inLine;
            return false;
          }
          at++;
        }
      }
    }
    return true;
  }

  /** Whether that field begins here. The decoder consumes whole lines. */
  private static boolean isLength(ByteBuf bytes, int at, int to) {
    return (bytes.getByte(at) | 0x20) == 'c'
        && to - at > LENGTH.length()
        && LENGTH.equalsIgnoreCase(bytes.toString(at, LENGTH.length(), StandardCharsets.US_ASCII));
  }

  private boolean accepts(byte b) {
    if (carriageReturn) {
      carriageReturn = false;
      return b == HttpConstants.LF && endOfLine();
    }
    if (b == HttpConstants.CR) {
      carriageReturn = true;
      return true;
    }
    return switch (part) {
      case REQUEST_LINE -> inRequestLine(b);
      case FIELD_START, TRAILER_START -> {
        part = part == Part.FIELD_START ? Part.FIELD : Part.TRAILER;
        yield b != ' ' && b != '\t' && b != HttpConstants.LF;
      }
      case SIZE_START, SIZE -> inSize(b);
      case EXTENSIONS -> {
        extensions.append((char) (b & 0xff));
        yield extensions.length() <= RequestRules.MAX_LINE;
      }
      default -> false; // behind a chunk's data
    };
  }

  /** Behind a carriage return and a line feed. */
  private boolean endOfLine() {
    switch (part) {
      case REQUEST_LINE -> {
        if (lineBytes == 0) {
          return true; // an empty line before a request is let pass
        }
        part = Part.FIELD_START;
        return spaces == 2 && wordBytes == VERSION.length() + 3;
      }
      case SIZE, EXTENSIONS -> {
        part = size == 0 ? Part.TRAILER_START : Part.DATA;
        boolean valid = ChunkExtensions.areValid(extensions.toString(), 0);
        extensions.setLength(0);
        extensions.trimToSize(); // an idle connection holds nothing
        return valid;
      }
      case DATA_END -> {
        part = Part.SIZE_START;
        return true;
      }
      case FIELD_START, TRAILER_START -> {
        return true; // the decoder says so, too
      }
      default -> {
        return false;
      }
    }
  }

  /** Exactly three words, one space between them, and a version as it is written. */
  private boolean inRequestLine(byte b) {
    lineBytes++;
    if (b == ' ') {
      boolean empty = wordBytes == 0;
      spaces++;
      wordBytes = 0;
      return !empty && spaces <= 2;
    }
    int at = wordBytes++;
    if (spaces < 2) {
      return (b & 0xff) > ' ' && b != 0x7f;
    }
    if (at < VERSION.length()) {
      return b == VERSION.charAt(at);
    }
    return at == VERSION.length() + 1 ? b == '.' : b >= '0' && b <= '9';
  }

  private boolean inSize(byte b) {
    int digit = HostPort.isHex((char) (b & 0xff)) ? Character.digit(b, 16) : -1;
    if (digit >= 0) {
      part = Part.SIZE;
      size = size << 4 | digit;
      return size <= Integer.MAX_VALUE;
    }
    boolean some = part == Part.SIZE;
    part = Part.EXTENSIONS;
    extensions.append((char) (b & 0xff));
    return some;
  }
}
