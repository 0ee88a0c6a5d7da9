package dev.mely.examples.kv;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Answers in RESP2, one behind the other. Not thread-safe. */
final class Reply {
  /** How many bytes may be collected; what is more is dropped, and so is the client. */
  private static final int LONGEST = 64 << 20;

  private ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private boolean tooLong;

  void simple(String text) {
    put("+" + text + "\r\n");
  }

  /** Why something was not done. A code comes first, as in {@code ERR}. */
  void error(String text) {
    put("-" + text.replace('\r', ' ').replace('\n', ' ') + "\r\n");
  }

  void integer(long number) {
    put(":" + number + "\r\n");
  }

  /** Any bytes, each a character; null: there is no such value. */
  void bulk(@Nullable String value) {
    if (value == null) {
      put("$-1\r\n");
    } else {
      put("$" + value.length() + "\r\n");
      put(value);
      put("\r\n");
    }
  }

  /** So many answers follow, which are one together. */
  void array(int size) {
    put("*" + size + "\r\n");
  }

  int size() {
    return bytes.size();
  }

  /** Whether there was more than may be collected. */
  boolean isTooLong() {
    return tooLong;
  }

  /** Returns what has been collected, and begins anew. */
  ByteBuffer take() {
    ByteBuffer all = ByteBuffer.wrap(bytes.toByteArray());
    bytes = new ByteArrayOutputStream();
    return all;
  }

  private void put(String text) {
    tooLong |= text.length() > LONGEST - bytes.size();
    if (!tooLong) {
      bytes.writeBytes(text.getBytes(StandardCharsets.ISO_8859_1));
    }
  }
}
