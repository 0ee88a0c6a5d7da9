package dev.mely.examples.kv;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;

/** Splits a line as a shell would: blanks between words, quotes around those that have some. */
final class Words {
  private final byte[] in;
  private final int to;
  private int at;

  private Words(byte[] in, int from, int to) {
    this.in = in;
    this.at = from;
    this.to = to;
  }

  /**
   * Splits a part of an array.
   *
   * @throws ProtocolError if a quotation has no end, or something stands right behind it
   */
  static byte[][] split(byte[] in, int from, int to) throws ProtocolError {
    Words words = new Words(in, from, to);
    List<byte[]> all = new ArrayList<>();
    while (words.skip()) {
      all.add(words.word());
    }
    return all.toArray(byte[][]::new);
  }

  private static ProtocolError unbalanced() {
    return new ProtocolError("unbalanced quotes in request");
  }

  private static boolean isBlank(byte b) {
    return b == ' ' || (b >= '\t' && b <= '\r');
  }

  private boolean skip() {
    while (at < to && isBlank(in[at])) {
      at++;
    }
    return at < to;
  }

  private byte[] word() throws ProtocolError {
    ByteArrayOutputStream word = new ByteArrayOutputStream();
    while (at < to && !isBlank(in[at])) {
      byte b = in[at++];
      if (b == '"' || b == '\'') {
        quoted(b, word);
        if (at < to && !isBlank(in[at])) {
          throw unbalanced();
        }
        return word.toByteArray();
      }
      word.write(b);
    }
    return word.toByteArray();
  }

  private void quoted(byte quote, ByteArrayOutputStream word) throws ProtocolError {
    while (at < to && in[at] != quote) {
      byte b = in[at++];
      if (b != '\\' || at == to) {
        word.write(b);
      } else if (quote == '"') {
        word.write(escaped());
      } else if (in[at] == '\'') {
        word.write(in[at++]);
      } else {
        word.write(b);
      }
    }
    if (at == to) {
      throw unbalanced();
    }
    at++;
  }

  private int escaped() {
    byte b = in[at++];
    if (b == 'x' && at + 1 < to) {
      int high = Character.digit(in[at], 16);
      int low = Character.digit(in[at + 1], 16);
      if (high >= 0 && low >= 0) {
        at += 2;
        return high << 4 | low;
      }
    }
    return switch (b) {
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      case 'b' -> '\b';
      case 'a' -> 7;
      default -> b;
    };
  }
}
