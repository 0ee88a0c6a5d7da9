package dev.mely.examples.sws;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.mely.examples.Programs;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Load that others generate, and hostile input, for the build without Netty. */
@Timeout(300)
class SwsCoreLoadTest {
  private static final int MESSAGES = Integer.getInteger("mely.fuzz.messages", 20_000);
  private static final long SEED = Long.getLong("mely.fuzz.seed", 1);

  /** Of one connection: what is refused hides those behind it. */
  private static final int ROUND = 100;

  private static final int IDLE = 1_000;

  private static final String REFUSED = "refused";
  private static final Pattern CLOSING =
      Pattern.compile("HTTP/1\\.1 [45][^\r]*\r\nserver: [^\r]*\r\nconnection: close\r\n");

  @TempDir static Path root;

  @BeforeAll
  static void write() throws IOException {
    Files.writeString(root.resolve("file.txt"), "fine");
    Files.write(root.resolve("page"), new byte[20_000]);
  }

  private static WebServer start(Coloring coloring) throws IOException {
    return SwsCoreServer.start(new SwsConfig(root).port(0).cores(2), coloring);
  }

  @ParameterizedTest
  @EnumSource
  void wrk(Coloring coloring) throws Exception {
    assumeTrue(Programs.run("sh", "-c", "command -v wrk"), "wrk is not installed");
    try (WebServer server = start(coloring)) {
      String said =
          Programs.output("wrk", "-c50", "-t1", "-d1", "--timeout=60", server.url() + "file.txt");
      assertTrue(said.contains(" requests in "), said);
      assertTrue(!said.contains("Socket errors") && !said.contains("Non-2xx"), said);
    }
  }

  /** With and without connections that stay. */
  @ParameterizedTest
  @EnumSource
  void apacheBench(Coloring coloring) throws Exception {
    assumeTrue(Programs.run("sh", "-c", "command -v ab"), "ab is not installed");
    try (WebServer server = start(coloring)) {
      for (String stay : List.of("-k", "-q")) {
        String said =
            Programs.output("ab", "-q", "-s120", stay, "-n4000", "-c20", server.url() + "page");
        assertTrue(said.contains("Complete requests:      4000"), said);
        assertTrue(said.contains("Failed requests:        0"), said);
        assertTrue(!said.contains("Non-2xx"), said);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void h2load(Coloring coloring) throws Exception {
    assumeTrue(Programs.run("sh", "-c", "command -v h2load"), "h2load is not installed");
    try (WebServer server = start(coloring)) {
      String said = Programs.output("h2load", "--h1", "-n5000", "-c20", server.url() + "page");
      assertTrue(said.contains("5000 succeeded, 0 failed, 0 errored"), said);
      assertTrue(said.contains("status codes: 5000 2xx"), said);
    }
  }

  // ---- Hostile input

  /** Byte for byte what the Netty build answers, the date left out. */
  @Test
  void mutatedRequests() throws Exception {
    System.out.println("mutated requests: -Dmely.fuzz.seed=" + SEED);
    SplittableRandom random = new SplittableRandom(SEED);
    SwsConfig config = new SwsConfig(root).port(0).cores(2);
    try (WebServer netty = SwsServer.start(config);
        WebServer mely = start(Coloring.MELY);
        WebServer libasync = start(Coloring.LIBASYNC)) {
      for (int sent = 0; sent < MESSAGES; sent += ROUND) {
        byte[] bytes = requests(random);
        List<String> expected = answers(netty, bytes);
        for (WebServer server : List.of(mely, libasync)) {
          List<String> got = answers(server, bytes);
          if (got.size() == expected.size() + 1) {
            // It refuses a line as soon as that is wrong: Netty waits for the header's end.
            assertEquals(REFUSED, got.remove(expected.size()));
          }
          assertEquals(expected, got, () -> text(bytes));
        }
      }
      await().until(() -> mely.clients() == 0 && libasync.clients() == 0);
    }
  }

  private static String text(byte[] bytes) {
    return "-Dmely.fuzz.seed=" + SEED + ":\n" + new String(bytes, StandardCharsets.ISO_8859_1);
  }

  private static byte[] requests(SplittableRandom random) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (int i = 0; i < ROUND; i++) {
      String target = random.nextInt(3) == 0 ? "/page" : "/file.txt";
      StringBuilder request =
          new StringBuilder(
              switch (random.nextInt(4)) {
                case 0 -> RawClient.get(target, "Range: bytes=0-1", "Accept: */*");
                case 1 -> RawClient.request("HEAD", target);
                case 2 ->
                    RawClient.request("POST", target, "Transfer-Encoding: chunked")
                        + "3\r\nabc\r\n0\r\n\r\n";
                default -> RawClient.get(target, "Content-Length: 3") + "abc";
              });
      if (random.nextInt(ROUND) == 0) {
        int at = random.nextInt(request.length());
        switch (random.nextInt(4)) {
          case 0 -> request.setCharAt(at, (char) random.nextInt(256));
          case 1 -> request.insert(at, (char) random.nextInt(256));
          case 2 -> request.deleteCharAt(at);
          default -> request.insert(at, request.substring(at / 2, at));
        }
      } else {
        request.insert(4 + random.nextInt(4), random.nextInt(2) == 0 ? "" : "/");
      }
      all.writeBytes(request.toString().getBytes(StandardCharsets.ISO_8859_1));
    }
    return all.toByteArray();
  }

  /** The responses; of several reasons for a refusal that ends the connection one is as good. */
  private static List<String> answers(WebServer server, byte[] bytes) throws IOException {
    try (Socket client = new Socket(server.address().getAddress(), server.address().getPort())) {
      client.setSoTimeout(120_000);
      client.getOutputStream().write(bytes);
      client.shutdownOutput();
      String all = new String(client.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
      String undated = all.replaceAll("date: [^\r]*\r\n", "");
      List<String> answers = new ArrayList<>(List.of(undated.split("(?=HTTP/1\\.1 )")));
      answers.removeIf(String::isEmpty);
      answers.replaceAll(answer -> CLOSING.matcher(answer).lookingAt() ? REFUSED : answer);
      return answers;
    }
  }

  /** A thousand who say nothing, and some who say half a word, or never read. */
  @ParameterizedTest
  @EnumSource
  void idleAndSlowOnesStopNobody(Coloring coloring) throws Exception {
    List<RawClient> crowd = new ArrayList<>();
    try (WebServer server = start(coloring)) {
      for (int i = 0; i < IDLE; i++) {
        crowd.add(new RawClient(server));
      }
      for (int i = 0; i < 20; i++) {
        crowd.get(i).send("GET /fi");
        crowd.get(20 + i).send("GET /file.txt HTTP/1.1\r\nHost:").endOutput();
        crowd.add(new RawClient(server, 4096).send(RawClient.get("/page").repeat(200)));
      }
      for (int i = 0; i < 200; i++) {
        try (RawClient witness = new RawClient(server)) {
          assertEquals("fine", witness.send(RawClient.get("/file.txt")).read().text());
        }
      }
      for (RawClient client : crowd) {
        client.reset();
      }
      await().until(() -> server.clients() == 0);
    }
  }
}
