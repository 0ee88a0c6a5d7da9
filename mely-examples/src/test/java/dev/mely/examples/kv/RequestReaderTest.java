package dev.mely.examples.kv;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.mely.examples.service.BrowserTest;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Parsing of requests, in any number of pieces. */
class RequestReaderTest {
  private final List<List<String>> complete = new ArrayList<>();
  private final RequestReader reader = new RequestReader();

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  private List<String> take(String text) throws ProtocolException {
    reader.take(ByteBuffer.wrap(bytes(text)), complete);
    return requests();
  }

  private List<String> requests() {
    List<String> shown = complete.stream().map(words -> String.join("|", words)).toList();
    complete.clear();
    return shown;
  }

  @Test
  void arraysOfBulkStrings() throws Exception {
    assertEquals(
        List.of("SET|a|b\r\nc", "GET|", "PING", "GET|\u0000\u00ff"),
        take(
            "*3\r\n$3\r\nSET\r\n$1\r\na\r\n$4\r\nb\r\nc\r\n*2\r\n$3\r\nGET\r\n$0\r\n\r\n"
                + "*0\r\n*-1\r\n*1\r\n$4\r\nPING\r\n*2\r\n$3\r\nGET\r\n$2\r\n\u0000\u00ff\r\n"));
  }

  @Test
  void lines() throws Exception {
    assertEquals(List.of("PING", "SET|a|\u00ff"), take("PING\r\n\r\n  \n SET  a\t\u00ff \nGE"));
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
        "*1\\r\\n$-4294967295\\r\\n | invalid bulk length",
        "*1\\r\\n$1\\r\\nab\\r\\n | a bulk string is longer than announced"
      })
  void whatIsNoRequestIsRefused(String text, String why) {
    String sent = text.replace("\\r", "\r").replace("\\n", "\n");
    ProtocolException error = assertThrows(ProtocolException.class, () -> take("PING\n" + sent));
    assertEquals(why, error.getMessage());
    assertEquals(List.of("PING"), requests()); // those before it are kept
  }

  @ParameterizedTest
  @ValueSource(strings = {"*1", "*1\r\n$1", "PING "})
  void longLinesAreRefused(String begin) {
    assertThrows(ProtocolException.class, () -> take(begin + "1".repeat(70_000)));
  }

  @Test
  void allWordsTogetherAreBounded() throws Exception {
    String longest = "$1048576\r\n" + Kv.MEGABYTE + "\r\n";
    assertEquals(List.of(), take("*33\r\n" + longest.repeat(31)));
    assertThrows(ProtocolException.class, () -> take(longest + longest));
  }

  /** What a length announces takes no memory: many connections may say so. */
  @Test
  void announcedLengthsTakeNoMemory() throws Exception {
    List<RequestReader> many = new ArrayList<>();
    for (int i = 0; i < 20_000; i++) { // 20 GB announced
      many.add(new RequestReader());
      many.get(i).take(ByteBuffer.wrap(bytes("*1048576\r\n$1048576\r\nx")), complete);
    }
    assertEquals(20_000, many.size());
    assertEquals(List.of(), requests());
  }

  /** What a browser sends is refused, and nothing that came with it is done. */
  @Test
  void httpIsRefusedInPieces() {
    List<String> all = new ArrayList<>(BrowserTest.oddRequests("SET evil 1\r\n"));
    for (String word : List.of("POST", "post", "Host:", "HOST:")) { // as commands, as Redis has it
      all.add("PING\r\n" + word + "\r\n");
      all.add("PING\r\n" + word + " a b\r\n");
      all.add(RespClient.command(word, "a"));
    }
    for (String request : all) {
      RequestReader fresh = new RequestReader();
      assertThrows(
          ProtocolException.class,
          () -> {
            for (byte[] piece : BrowserTest.pieces(request)) {
              fresh.take(ByteBuffer.wrap(piece), complete);
            }
          },
          request);
      assertEquals(List.of(), requests(), request);
    }
  }
}
