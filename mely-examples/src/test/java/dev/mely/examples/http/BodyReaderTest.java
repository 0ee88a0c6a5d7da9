package dev.mely.examples.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** How much may stand in a chunked body beside its content. */
class BodyReaderTest {
  /** Returns how many bytes of content there were. */
  private static long read(String text) throws Malformed {
    BodyReader reader = BodyReader.chunked(ChunkSizes.ofResponse());
    long[] content = new long[1];
    byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
    reader.read(ByteBuffer.wrap(bytes), piece -> content[0] += piece.remaining());
    assertTrue(reader.isComplete(), "more is needed");
    return content[0];
  }

  private static void isRefused(String text, String why) {
    Malformed wrong = assertThrows(Malformed.class, () -> read(text));
    assertTrue(wrong.getMessage().contains(why), wrong.getMessage());
  }

  @Test
  void aLineIsBounded() throws Exception {
    assertEquals(1, read("1;" + "a".repeat(4_000) + "\r\nx\r\n0\r\n\r\n"));
    isRefused("1;" + "a".repeat(5_000) + "\r\nx\r\n0\r\n\r\n", "too long");
    isRefused("1" + " ".repeat(5_000) + "\r\nx\r\n0\r\n\r\n", "too long");
    assertEquals(1, read("000000000000001\r\nx\r\n0\r\n\r\n"));
    isRefused("0000000000000001\r\nx\r\n0\r\n\r\n", "too large");
  }

  /** All together: not much more than the content. */
  @Test
  void extensionsAreBounded() throws Exception {
    String small = "1;" + "a".repeat(1_000) + "\r\nx\r\n";
    assertEquals(10, read(small.repeat(10) + "0\r\n\r\n"));
    isRefused(small.repeat(20) + "0\r\n\r\n", "too long");
    String large = "400;" + "a".repeat(1_000) + "\r\n" + "x".repeat(1_024) + "\r\n";
    assertEquals(100 * 1_024, read(large.repeat(100) + "0\r\n\r\n"));
  }

  @Test
  void theReasonIsSaid() {
    isRefused("1;a=\"b\r\nx\r\n0\r\n\r\n", "invalid extension");
    isRefused("1,a\r\nx\r\n0\r\n\r\n", "invalid extension");
    isRefused("1;a\rb\r\nx\r\n0\r\n\r\n", "does not end with CR LF");
    isRefused("1;a=b\nx\r\n0\r\n\r\n", "does not end with CR LF");
    isRefused(";a=b\r\nx\r\n0\r\n\r\n", "missing or too large");
    isRefused("-1\r\nx\r\n0\r\n\r\n", "missing or too large");
    isRefused("0\r\nT: " + "x".repeat(17_000) + "\r\n\r\n", "trailer is too long");
  }
}
