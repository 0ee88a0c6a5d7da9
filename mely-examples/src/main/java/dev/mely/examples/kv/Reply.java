package dev.mely.examples.kv;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Collects answers in RESP2. Not thread-safe. */
final class Reply {
  /** How many bytes may be collected; a client that needs more is dropped. */
  private static final int LONGEST = 64 << 20;

  private ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private boolean tooLong;

  void simple(String text) {
    put("+" + text + "\r\n");
  }

  /** Adds an error, which starts with a code such as {@code ERR}. */
  void error(String text) {
    put("-" + text.replace('\r', ' ').replace('\n', ' ') + "\r\n");
  }

  void integer(long number) {
    put(":" + number + "\r\n");
  }

  /** Adds a string of bytes, one per character; null if there is no such value. */
  void bulk(@Nullable String value) {
    if (value == null) {
      put("$-1\r\n");
    } else {
      put("$" + value.length() + "\r\n");
      put(value);
      put("\r\n");
    }
  }

  /** Starts an array of {@code size} answers. */
  void array(int size) {
    put("*" + size + "\r\n");
  }

  int size() {
    return bytes.size();
  }

  /** Whether the limit was exceeded. */
  boolean isTooLong() {
    return tooLong;
  }

  /** Returns the collected answers and clears them. */
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
