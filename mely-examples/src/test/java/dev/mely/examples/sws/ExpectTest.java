package dev.mely.examples.sws;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** What is expected of the server before a body is sent: each build answers alike. */
@ParameterizedClass
@MethodSource("dev.mely.examples.sws.Transports#available")
class ExpectTest {
  @Parameter Build build;

  @TempDir Path root;

  @Test
  void expectations() throws Exception {
    Files.writeString(root.resolve("f"), "fine");
    try (WebServer server = build.start(Transports.config(root, build))) {
      String go = "Expect: 100-continue";
      check(server, List.of(200), RawClient.get("/f", go));
      check(server, List.of(200), RawClient.get("/f", go, "Content-Length: 0"));
      check(server, List.of(200), RawClient.get("/f", "EXPECT:  100-Continue\t"));
      check(server, List.of(100, 200), RawClient.get("/f", go, "Content-Length: 3") + "abc");
      check(
          server,
          List.of(100, 200),
          RawClient.get("/f", go + ", 100-continue", "Content-Length: 1") + "a");
      check(
          server,
          List.of(100, 200),
          RawClient.get("/f", go, "Transfer-Encoding: chunked") + "0\r\n\r\n");
      check(server, List.of(404), RawClient.get("/none", go));
      check(server, List.of(405), RawClient.request("POST", "/f", go));
      check(server, List.of(405), RawClient.request("POST", "/f", go, "Content-Length: 3"));
      check(server, List.of(417), RawClient.get("/f", "Expect: more"));
      check(server, List.of(417), RawClient.get("/f", go, "Expect: more"));
      check(server, List.of(417), RawClient.get("/f", "Expect: more", go));
      check(server, List.of(417), RawClient.get("/f", go + ", more"));
      check(server, List.of(417), RawClient.get("/f", "Expect:"));
      check(server, List.of(200), "GET /f HTTP/1.0\r\n" + go + "\r\n\r\n");
      check(server, List.of(200), "GET /f HTTP/1.0\r\n" + go + "\r\nContent-Length: 1\r\n\r\na");
      check(
          server,
          List.of(200, 100, 200, 200),
          RawClient.get("/f", go)
              + RawClient.get("/f", go, "Content-Length: 1")
              + "a"
              + RawClient.get("/f", go));
    }
  }

  private static void check(WebServer server, List<Integer> expected, String request)
      throws Exception {
    List<Integer> statuses = new ArrayList<>();
    try (RawClient client = new RawClient(server)) {
      client.send(request.getBytes(StandardCharsets.ISO_8859_1)).endOutput();
      do {
        statuses.add(client.read().status());
      } while (!ended(client));
    }
    assertEquals(expected, statuses, request);
  }

  private static boolean ended(RawClient client) throws Exception {
    try {
      int next = client.bytes(1)[0];
      client.pushBack(next);
      return false;
    } catch (AssertionError end) {
      return true;
    }
  }
}
