package dev.mely.examples.kv;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The same for kv: what a web page has a browser post is not done, nor what came before it. */
@Timeout(300)
class BrowserTest {
  private static final String COMMANDS = "SET evil 1\r\nFLUSHALL\r\n";

  private static List<String> requests() {
    List<String> all = new ArrayList<>(dev.mely.examples.service.BrowserTest.requests(COMMANDS));
    // As words of commands, as Redis has it.
    for (String word : List.of("POST", "post", "Host:", "HOST:")) {
      all.add(word + "\r\n" + COMMANDS);
      all.add(word + " a b\r\n" + COMMANDS);
      all.add(new String(RespClient.command(word, "a"), StandardCharsets.ISO_8859_1) + COMMANDS);
    }
    return all;
  }

  @Test
  void aPageHasNothingDone() throws Exception {
    try (KvServer server = Kv.start();
        RespClient client = new RespClient(server.address())) {
      client.call("SET", "mine", "1");
      for (String request : requests()) {
        for (String sent : List.of(request, COMMANDS + request)) {
          try (RespClient page = new RespClient(server.address())) {
            assertEquals("-ERR Protocol error: this is HTTP", page.raw(sent).answer(), sent);
          }
          assertEquals("1", client.call("EXISTS", "mine").replace(":", ""), sent);
          assertEquals("0", client.call("EXISTS", "evil").replace(":", ""), sent);
        }
      }
      // In their place in a RESP command these are words like any others.
      client.call("SET", "Host:", "GET / HTTP/1.1");
      assertEquals("\"GET / HTTP/1.1\"", client.call("GET", "Host:"));
    }
  }

  @Test
  void norInPieces() {
    for (String request : dev.mely.examples.service.BrowserTest.oddRequests(COMMANDS)) {
      RequestReader reader = new RequestReader(Kv.MAX_BULK, Kv.MAX_BULK);
      List<byte[][]> complete = new ArrayList<>();
      assertThrows(
          ProtocolError.class,
          () -> {
            for (byte[] piece : dev.mely.examples.service.BrowserTest.pieces(request)) {
              reader.take(piece, 0, piece.length, complete);
            }
          },
          request);
      assertEquals(0, complete.size(), request);
    }
  }
}
