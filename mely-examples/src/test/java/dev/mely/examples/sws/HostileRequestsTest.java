package dev.mely.examples.sws;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.examples.sws.RawClient.Response;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that no client should make: each gets its error, and the server goes on. */
@ParameterizedClass
@MethodSource("dev.mely.examples.sws.Transports#available")
class HostileRequestsTest {
  private static final String SECRET = "the secret";

  @Parameter Build build;

  /** One server for all tests of a build: it must survive them all. */
  private static WebServer server;

  private static Path folder;

  @BeforeParameterizedClassInvocation
  static void start(Build build, @TempDir Path temporary) throws IOException {
    folder = temporary;
    Path root = Files.createDirectory(folder.resolve("root"));
    Files.writeString(root.resolve("file.txt"), "fine");
    Files.createDirectory(root.resolve("sub"));
    Files.writeString(folder.resolve("secret.txt"), SECRET);
    Files.createDirectory(folder.resolve("root-twin"));
    Files.writeString(folder.resolve("root-twin/secret.txt"), SECRET);
    link(root.resolve("out.txt"), folder.resolve("secret.txt"));
    link(root.resolve("out"), folder);
    link(root.resolve("twin"), folder.resolve("root-twin"));
    link(root.resolve("sub/index.html"), folder.resolve("secret.txt"));
    link(root.resolve("inside.txt"), root.resolve("file.txt"));
    link(root.resolve("loop"), root.resolve("loop"));
    link(root.resolve("dangling"), root.resolve("nothing"));
    server = build.start(Transports.config(root, build));
  }

  private static void link(Path link, Path target) throws IOException {
    Files.createSymbolicLink(link, target);
  }

  @AfterParameterizedClassInvocation
  static void stop() {
    server.close();
  }

  @AfterEach
  void theServerGoesOn() throws IOException {
    try (RawClient client = new RawClient(server)) {
      assertEquals("fine", client.send(RawClient.get("/file.txt")).read().text());
    }
  }

  /** Sends one request, then a good one: is it answered, or has the connection ended? */
  private Response send(String request, boolean goesOn) throws IOException {
    try (RawClient client = new RawClient(server)) {
      Response response = client.send(request).read();
      assertFalse(response.text().contains(SECRET), response.text());
      if (goesOn) {
        assertEquals("fine", client.send(RawClient.get("/file.txt")).read().text());
      } else {
        assertEquals("close", response.header("Connection"));
        assertTrue(client.isEnded());
      }
      return response;
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/../secret.txt",
        "/sub/../../secret.txt",
        "/sub/../file.txt",
        "/..",
        "/%2e%2e/secret.txt",
        "/.%2E/secret.txt",
        "/%2E%2E/%2E%2E/etc/passwd",
        "http://x/../secret.txt",
        "/out.txt",
        "/out/secret.txt",
        "/out/",
        "/twin/secret.txt",
        "/sub/",
      })
  void forbidden(String target) throws IOException {
    assertEquals(403, send(RawClient.get(target), true).status());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/%252e%252e/secret.txt",
        "/%252e%252e%252fsecret.txt",
        "/...",
        "/.../secret.txt",
        "/nothing",
        "/file.txt/x",
        "/loop",
        "/dangling",
        "/~",
        "/C:/secret.txt",
      })
  void notFound(String target) throws IOException {
    assertEquals(404, send(RawClient.get(target), true).status());
  }

  @Test
  void aNameThatIsTooLongForTheDisk() throws IOException {
    assertEquals(404, send(RawClient.get("/" + "x".repeat(5_000)), true).status());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/file.txt%00",
        "/%00",
        "/..%2fsecret.txt",
        "/%2e%2e%2fsecret.txt",
        "/..%5csecret.txt",
        "/..\\secret.txt",
        "\\..\\secret.txt",
        "/%c0%ae%c0%ae/secret.txt",
        "/%c0%af..%c0%afsecret.txt",
        "/%e0%80%ae%e0%80%ae/secret.txt",
        "/%f0%80%80%ae/secret.txt",
        "/\u00c0\u00ae\u00c0\u00ae/secret.txt",
        "/%ed%a0%80",
        "/%ff",
        "/%e2%82",
        "/%",
        "/%4",
        "/%zz",
        "/%+2e",
        "/file.txt#x",
        "/%0d%0aSet-Cookie:x",
        "file.txt",
        "*",
        "ftp://x/file.txt",
        "file:///etc/passwd",
      })
  void malformedTarget(String target) throws IOException {
    assertEquals(400, send(RawClient.get(target), true).status());
  }

  /** Their sender may read the next bytes differently: the connection ends. */
  @ParameterizedTest
  @ValueSource(strings = {"/\u007f", "/sub?\u0001", "/file.txt?\u0000"})
  void controlCharactersInTheTarget(String target) throws IOException {
    assertEquals(400, send(RawClient.get(target), false).status());
  }

  static Stream<Arguments> malformed() {
    String host = "Host: test\r\n";
    String chunked = "GET / HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\n";
    String extended = "1;" + "a".repeat(1_000) + "\r\nx\r\n";
    return Stream.of(
        Arguments.of(400, "hello\r\n\r\n"),
        Arguments.of(400, "GET /\r\n\r\n"),
        Arguments.of(400, "GET / HTTP\r\n" + host + "\r\n"),
        Arguments.of(400, "GET / HTTP/x.y\r\n" + host + "\r\n"),
        Arguments.of(400, "GET / a b HTTP/1.1\r\n" + host + "\r\n"),
        Arguments.of(400, "G\u0001T / HTTP/1.1\r\n" + host + "\r\n"),
        Arguments.of(400, "GET / HTTP/1.1\r\n\r\n"),
        Arguments.of(400, "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"),
        Arguments.of(400, "GET / HTTP/1.1\r\n" + host + "no colon\r\n\r\n"),
        Arguments.of(400, "GET / HTTP/1.1\r\n" + host + "A b: c\r\n\r\n"),
        Arguments.of(400, "GET / HTTP/1.1\r\n" + host + "A\u0000: c\r\n\r\n"),
        Arguments.of(400, "GET / HTTP/1.1\r\n" + host + "Content-Length: -1\r\n\r\n"),
        Arguments.of(400, "GET / HTTP/1.1\r\n" + host + "Content-Length: x\r\n\r\n"),
        Arguments.of(
            400, "GET / HTTP/1.1\r\n" + host + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nxx"),
        Arguments.of(
            400,
            "GET / HTTP/1.1\r\n"
                + host
                + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        Arguments.of(400, "GET / HTTP/1.1\r\n" + host + "Transfer-Encoding: gzip\r\n\r\n"),
        Arguments.of(400, "GET / HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\nx\r\n"),
        Arguments.of(400, chunked + "0".repeat(16) + "\r\n\r\n"),
        Arguments.of(400, chunked + "1;" + "a".repeat(5_000) + "\r\nx\r\n0\r\n\r\n"),
        Arguments.of(400, chunked + extended.repeat(20) + "0\r\n\r\n"),
        Arguments.of(400, "GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        Arguments.of(505, "GET / HTTP/2.0\r\n" + host + "\r\n"),
        Arguments.of(505, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
        Arguments.of(417, "GET / HTTP/1.1\r\n" + host + "Expect: a miracle\r\n\r\n"),
        Arguments.of(
            405, "PUT / HTTP/1.1\r\n" + host + "Expect: 100-continue\r\nContent-Length: 9\r\n\r\n"),
        Arguments.of(413, "GET / HTTP/1.1\r\n" + host + "Content-Length: 999999999\r\n\r\n"),
        Arguments.of(413, "POST / HTTP/1.1\r\n" + host + "Content-Length: 999999999\r\n\r\nabc"),
        Arguments.of(
            413,
            "GET / HTTP/1.1\r\n"
                + host
                + "Transfer-Encoding: chunked\r\n\r\n20000\r\n"
                + "x".repeat(0x20000)),
        Arguments.of(414, "GET /" + "x".repeat(9_000) + " HTTP/1.1\r\n" + host + "\r\n"),
        Arguments.of(414, "GET /" + "x".repeat(100_000)),
        Arguments.of(431, "GET / HTTP/1.1\r\nA: " + "x".repeat(20_000) + "\r\n\r\n"),
        Arguments.of(431, "GET / HTTP/1.1\r\n" + "A: b\r\n".repeat(10_000) + "\r\n"));
  }

  @ParameterizedTest
  @MethodSource
  void malformed(int status, String request) throws IOException {
    assertEquals(status, send(request, false).status());
  }

  @ParameterizedTest
  @ValueSource(strings = {"POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "NONSENSE", "get"})
  void otherMethods(String method) throws IOException {
    Response response = send(RawClient.request(method, "/file.txt"), true);
    assertEquals(405, response.status());
    assertEquals("GET, HEAD", response.header("Allow"));
  }

  @Test
  void connectIsAMethodLikeAnyOther() throws IOException {
    assertEquals(405, send(RawClient.request("CONNECT", "example.org:443"), true).status());
  }

  @Test
  void anErrorToHeadHasNoBody() throws IOException {
    try (RawClient client = new RawClient(server)) {
      assertEquals(404, client.send(RawClient.request("HEAD", "/nothing")).readHead().status());
      assertEquals(403, client.send(RawClient.request("HEAD", "/out.txt")).readHead().status());
      assertEquals("fine", client.send(RawClient.get("/file.txt")).read().text());
    }
  }

  @Test
  void aLinkThatStaysInsideIsFollowed() throws IOException {
    assertEquals("fine", send(RawClient.get("/inside.txt"), true).text());
  }

  @Test
  void aLinkPutInThePlaceOfAPrebuiltFile() throws IOException {
    Path file = server.root().resolve("file2.txt");
    Files.writeString(file, "fine");
    SwsConfig config = Transports.config(server.root(), build);
    try (WebServer second = build.start(config);
        RawClient client = new RawClient(second)) {
      assertEquals("fine", client.send(RawClient.get("/file2.txt")).read().text());
      Files.delete(file);
      link(file, folder.resolve("secret.txt"));
      Response response;
      do {
        response = client.send(RawClient.get("/file2.txt")).read();
        assertFalse(response.text().contains(SECRET));
      } while (response.status() == 200);
      assertEquals(403, response.status());
    }
  }

  @Test
  void noise() throws IOException {
    SplittableRandom random = new SplittableRandom(42);
    for (int i = 0; i < 50; i++) {
      byte[] bytes = new byte[random.nextInt(1, 3_000)];
      random.nextBytes(bytes);
      try (RawClient client = new RawClient(server)) {
        client.send(bytes);
        if (random.nextBoolean()) {
          client.endOutput();
          while (!client.isEnded()) {
            continue; // with any input, it must end
          }
        } else {
          client.reset();
        }
      }
    }
  }
}
