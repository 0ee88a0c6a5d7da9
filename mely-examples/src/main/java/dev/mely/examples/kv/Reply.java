package dev.mely.examples.kv;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Answers in the Redis protocol, version 2 or 3, one behind the other. Belongs to whoever runs the
 * commands of a connection.
 */
final class Reply {
  private static final byte[] CRLF = {'\r', '\n'};
  private static final byte[] NULL_BULK = Bytes.of("$-1\r\n");
  private static final byte[] NULL_ARRAY = Bytes.of("*-1\r\n");
  private static final byte[] NULL = Bytes.of("_\r\n");
  private static final int USUAL = 1024;

  /** A buffer that has grown larger than this is not kept. */
  private static final int KEPT = 64 * 1024;

  private final int longest;
  private boolean resp3;
  private byte[] bytes = new byte[USUAL];
  private int size;

  /** There was more than there may be: what is here is no answer. */
  private boolean overflown;

  /**
   * Begins with nothing.
   *
   * @param longest how many bytes there may be, more than any single string has; what is more is
   *     dropped, so that a command that changes something ends as it should
   */
  Reply(int longest) {
    this.longest = longest;
  }

  int longest() {
    return longest;
  }

  boolean isResp3() {
    return resp3;
  }

  void resp3(boolean on) {
    resp3 = on;
  }

  /** Whether there was more than there may be. The client cannot be answered any more. */
  boolean isOverflown() {
    return overflown;
  }

  int size() {
    return size;
  }

  /** Forgets what came behind a place. */
  void truncate(int to) {
    size = Math.min(size, to);
  }

  /** All of it; the next answer has a buffer of its own. */
  ByteBuffer take() {
    ByteBuffer all = ByteBuffer.wrap(bytes, 0, size);
    bytes = new byte[USUAL];
    size = 0;
    return all;
  }

  /** All of it, for one who is through with it before the next answer. */
  ByteBuffer lend() {
    return ByteBuffer.wrap(bytes, 0, size);
  }

  /** Nobody needs what was lent. */
  void reuse() {
    size = 0;
    if (bytes.length > KEPT) {
      bytes = new byte[USUAL];
    }
  }

  // ---- Answers

  void ok() {
    simple("OK");
  }

  void simple(String text) {
    line('+', text);
  }

  /** An error, its code in front; what would break the line is replaced. */
  void error(String text) {
    line('-', text.replace('\r', ' ').replace('\n', ' '));
  }

  private void line(char kind, String text) {
    room(text.length() * 3L + 3);
    bytes[size++] = (byte) kind;
    for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
      bytes[size++] = b;
    }
    bytes[size++] = '\r';
    bytes[size++] = '\n';
  }

  void integer(long value) {
    header(':', value);
  }

  void bulk(byte[] value) {
    room(value.length + 16L);
    header('$', value.length);
    System.arraycopy(value, 0, bytes, size, value.length);
    size += value.length;
    put(CRLF);
  }

  void bulk(String text) {
    bulk(Bytes.of(text));
  }

  void bulkOrNull(byte @Nullable [] value) {
    if (value == null) {
      nothing();
    } else {
      bulk(value);
    }
  }

  /** Text for people. */
  void verbatim(String text) {
    if (resp3) {
      byte[] value = Bytes.of(text);
      header('=', value.length + 4L);
      put(Bytes.of("txt:"));
      put(value);
      put(CRLF);
    } else {
      bulk(text);
    }
  }

  /** No such string. */
  void nothing() {
    put(resp3 ? NULL : NULL_BULK);
  }

  /** No such list. */
  void noArray() {
    put(resp3 ? NULL : NULL_ARRAY);
  }

  void array(int count) {
    header('*', count);
  }

  /** So many keys, each followed by a value. */
  void map(int count) {
    header(resp3 ? '%' : '*', resp3 ? count : 2L * count);
  }

  void set(int count) {
    header(resp3 ? '~' : '*', count);
  }

  /** What was not asked for. */
  void push(int count) {
    header(resp3 ? '>' : '*', count);
  }

  void append(Reply other) {
    overflown |= other.overflown;
    room(other.size);
    System.arraycopy(other.bytes, 0, bytes, size, other.size);
    size += other.size;
  }

  // ---- Bytes

  private void header(char kind, long number) {
    room(24);
    bytes[size++] = (byte) kind;
    if (number >= 0 && number < 10) {
      bytes[size++] = (byte) ('0' + number);
    } else {
      decimal(number);
    }
    bytes[size++] = '\r';
    bytes[size++] = '\n';
  }

  private void decimal(long number) {
    long left = number;
    if (left < 0) {
      bytes[size++] = '-';
    } else {
      left = -left; // there are more negative ones
    }
    int end = size + 1;
    for (long rest = left; rest <= -10; rest /= 10) {
      end++;
    }
    for (int at = end - 1; at >= size; at--) {
      bytes[at] = (byte) ('0' - left % 10);
      left /= 10;
    }
    size = end;
  }

  private void put(byte[] more) {
    room(more.length);
    System.arraycopy(more, 0, bytes, size, more.length);
    size += more.length;
  }

  private void room(long more) {
    if (size + more > bytes.length) {
      if (size + more > longest) {
        overflown = true;
        size = 0;
      }
      long most = Math.max(longest, more);
      bytes = Arrays.copyOf(bytes, (int) Math.min(most, Math.max(size + more, 2L * bytes.length)));
    }
  }
}
