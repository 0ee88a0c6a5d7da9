package dev.mely.examples.kv;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What comes out of bytes, in whatever pieces they come. */
class RequestReaderTest {
  private final List<byte[][]> complete = new ArrayList<>();
  private RequestReader reader = new RequestReader(1 << 20, 2 << 20);

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  private List<String> take(String text) throws ProtocolError {
    byte[] all = bytes(text);
    reader.take(all, 0, all.length, complete);
    return commands();
  }

  private List<String> commands() {
    List<String> shown =
        complete.stream()
            .map(
                words ->
                    Arrays.stream(words)
                        .map(word -> new String(word, StandardCharsets.ISO_8859_1))
                        .collect(Collectors.joining("|")))
            .toList();
    complete.clear();
    return shown;
  }

  @Test
  void arraysOfBulkStrings() throws Exception {
    assertEquals(
        List.of("SET|a|b\r\nc", "GET|", "PING"),
        take(
            "*3\r\n$3\r\nSET\r\n$1\r\na\r\n$4\r\nb\r\nc\r\n*2\r\n$3\r\nGET\r\n$0\r\n\r\n"
                + "*0\r\n*-1\r\n*1\r\n$4\r\nPING\r\n"));
  }

  @Test
  void lines() throws Exception {
    assertEquals(
        List.of("PING", "SET|a b|c\n\u0001d", "GET|it's", "ECHO|"),
        take(
            "PING\r\n\r\n  \nset".toUpperCase(java.util.Locale.ROOT)
                + " \"a b\" \"c\\n\\x01d\"\r\n  GET 'it\\'s' \nECHO \"\"\n"));
  }

  @Test
  void aLineMayEndWithinTheFirstWordOfTheNext() throws Exception {
    assertEquals(List.of("GET|a"), take("GET a\nGE"));
    assertEquals(List.of("GET|b"), take("T b\n"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "*x\\r\\n | invalid multibulk length",
        "*1048577\\r\\n | invalid multibulk length",
        "*99999999999999999999\\r\\n | invalid multibulk length",
        "*1\\r\\nPING\\r\\n | expected '$', got 'P'",
        "*1\\r\\n$-1\\r\\n | invalid bulk length",
        "*1\\r\\n$1048577\\r\\n | invalid bulk length",
        "*1\\r\\n$+1\\r\\n | invalid bulk length",
        "*1\\r\\n$1\\r\\nab\\r\\n | a bulk string is longer than it says",
        "GET \"a\\n | unbalanced quotes in request",
        "GET \"a\"b\\n | unbalanced quotes in request"
      })
  void whatIsNoCommandIsRefused(String text, String why) {
    String sent = text.replace("\\r", "\r").replace("\\n", "\n");
    ProtocolError error = assertThrows(ProtocolError.class, () -> take("PING\n" + sent));
    assertEquals(why, error.getMessage());
    assertEquals(List.of("PING"), commands()); // those before it are kept
  }

  @Test
  void longLinesAreRefused() {
    for (String begin : List.of("*1", "*1\r\n$1", "PING ")) {
      reader = new RequestReader(1 << 20, 2 << 20);
      assertThrows(ProtocolError.class, () -> take(begin + "1".repeat(70_000)), begin);
    }
  }

  @Test
  void allWordsTogetherAreBounded() {
    String megabyte = "$1048576\r\n" + "x".repeat(1 << 20) + "\r\n";
    assertThrows(ProtocolError.class, () -> take("*3\r\n" + megabyte + megabyte + "$1\r\n"));
  }

  /** What a length announces takes no memory: a million connections may say so. */
  @Test
  void announcedLengthsTakeNoMemory() throws Exception {
    List<RequestReader> many = new ArrayList<>();
    byte[] greedy = bytes("*1048576\r\n$536870912\r\nx");
    for (int i = 0; i < 20_000; i++) { // 10 TB announced
      RequestReader one = new RequestReader(512 << 20, 1L << 40);
      one.take(greedy, 0, greedy.length, complete);
      many.add(one);
    }
    assertEquals(20_000, many.size());
    assertEquals(List.of(), commands());
  }

  /** Cut anywhere, the same comes out. */
  @Test
  void piecesMakeNoDifference() throws Exception {
    long seed = Long.getLong("mely.kv.seed", 1);
    System.out.println("pieces: -Dmely.kv.seed=" + seed);
    SplittableRandom random = new SplittableRandom(seed);
    for (int round = 0; round < 3_000; round++) {
      StringBuilder sent = new StringBuilder();
      List<String> expected = new ArrayList<>();
      for (int n = 1 + random.nextInt(5); n > 0; n--) {
        String[] words = new String[1 + random.nextInt(20)];
        for (int i = 0; i < words.length; i++) {
          words[i] = "w\r\n*".repeat(random.nextInt(random.nextInt(20) == 0 ? 3_000 : 4));
        }
        sent.append(new String(RespClient.command(words), StandardCharsets.ISO_8859_1));
        expected.add(String.join("|", words));
      }
      byte[] all = bytes(sent.toString());
      int most = 1 + random.nextInt(random.nextBoolean() ? 8 : 5_000);
      long counted = 0;
      for (int at = 0; at < all.length; ) {
        int end = Math.min(all.length, at + 1 + random.nextInt(most));
        counted += reader.take(all, at, end, complete);
        at = end;
      }
      int length = expected.stream().mapToInt(c -> c.replace("|", "").length()).sum();
      assertEquals(expected, commands());
      assertEquals(true, counted >= length, "counted " + counted + " of " + length);
    }
  }
}
