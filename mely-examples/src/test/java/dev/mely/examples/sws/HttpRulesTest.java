package dev.mely.examples.sws;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.examples.sws.RawClient.Response;
import io.netty.handler.codec.DateFormatter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Arrays;
import java.util.Date;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What HTTP asks of a file server, byte for byte. */
@ParameterizedClass
@MethodSource("dev.mely.examples.sws.Transports#available")
class HttpRulesTest {
  /** Served from memory, and from disk. */
  private static final String SMALL = "/small.txt";

  private static final String LARGE = "/large.bin";

  private static final Instant MODIFIED = Instant.parse("2020-02-03T04:05:06.789Z");

  @Parameter Build build;

  @TempDir Path root;
  private byte[] small;
  private byte[] large;
  private WebServer server;
  private RawClient client;

  @BeforeEach
  void start() throws IOException {
    small = "0123456789abcdefghijklmnopqrstuvwxyz\n".getBytes(StandardCharsets.US_ASCII);
    large = new byte[300_000];
    new SplittableRandom(1).nextBytes(large);
    write("small.txt", small);
    write("large.bin", large);
    write("empty", new byte[0]);
    write("site/index.html", "<p>home</p>".getBytes(StandardCharsets.US_ASCII));
    write("docs/a&b <i>.txt", new byte[1]);
    write("docs/Zebra", new byte[2]);
    write("docs/apple", new byte[3]);
    write("docs/javascript:alert(1)", new byte[4]);
    Files.createDirectory(root.resolve("docs/sub \"dir\""));
    server = build.start(Transports.config(root, build));
    client = new RawClient(server);
    await().until(() -> !get(LARGE).header("ETag").startsWith("W/"));
  }

  private void write(String name, byte[] content) throws IOException {
    Path file = root.resolve(name);
    Files.createDirectories(file.getParent());
    Files.write(file, content);
    Files.setLastModifiedTime(file, FileTime.from(MODIFIED));
  }

  @AfterEach
  void stop() throws IOException {
    client.close();
    server.close();
  }

  private Response get(String target, String... headers) throws IOException {
    return client.send(RawClient.get(target, headers)).read();
  }

  private byte[] content(String target) {
    return target.equals(SMALL) ? small : large;
  }

  @ParameterizedTest
  @ValueSource(strings = {SMALL, LARGE})
  void headersOfAFile(String target) throws IOException {
    Response response = get(target);
    assertEquals(200, response.status());
    assertArrayEquals(content(target), response.body());
    assertEquals("Mely-SWS", response.header("Server"));
    assertEquals("bytes", response.header("Accept-Ranges"));
    assertEquals("Mon, 03 Feb 2020 04:05:06 GMT", response.header("Last-Modified"));
    assertTrue(response.header("ETag").matches("\"[0-9a-f-]+\""), response.header("ETag"));
    Date date = DateFormatter.parseHttpDate(response.header("Date"));
    assertTrue(Math.abs(date.getTime() - System.currentTimeMillis()) < 60_000);
    assertFalse(response.has("Connection"));
  }

  @ParameterizedTest
  @ValueSource(strings = {SMALL, LARGE, "/empty", "/site/", "/docs/", "/docs", "/missing"})
  void headIsGetWithoutTheBody(String target) throws IOException {
    Response get = get(target);
    Response head = client.send(RawClient.request("HEAD", target)).readHead();
    assertEquals(get.status(), head.status());
    for (String name : List.of("Content-Length", "Content-Type", "ETag", "Last-Modified")) {
      assertEquals(get.header(name), head.header(name), name);
    }
    assertEquals(200, get(SMALL).status(), "the connection goes on");
  }

  @Test
  void contentTypes() throws IOException {
    assertEquals("text/plain; charset=utf-8", get(SMALL).header("Content-Type"));
    assertEquals("application/octet-stream", get(LARGE).header("Content-Type"));
    assertEquals("text/html; charset=utf-8", get("/site/").header("Content-Type"));
    assertEquals("image/png", ContentTypes.of("A.PNG"));
    assertEquals("application/octet-stream", ContentTypes.of("Makefile"));
  }

  @Test
  void anEmptyFile() throws IOException {
    Response response = get("/empty");
    assertEquals(200, response.status());
    assertEquals("0", response.header("Content-Length"));
    assertEquals(416, get("/empty", "Range: bytes=0-").status());
  }

  @ParameterizedTest
  @ValueSource(strings = {SMALL, LARGE})
  void ranges(String target) throws IOException {
    byte[] all = content(target);
    int size = all.length;
    assertRange(target, "bytes=0-0", 0, 1);
    assertRange(target, "bytes=5-9", 5, 10);
    assertRange(target, "bytes=30-", 30, size);
    assertRange(target, "bytes=-7", size - 7, size);
    assertRange(target, "bytes=-999999999", 0, size);
    assertRange(target, "bytes=10-99999999999999999999999", 10, size);
    assertRange(target, "bytes=0-" + (size - 1), 0, size);
    for (String ignored :
        List.of("bytes=0-1,3-4", "items=0-1", "bytes=9-5", "bytes=-", "bytes=x-", "bytes 0-1")) {
      Response response = get(target, "Range: " + ignored);
      assertEquals(200, response.status(), ignored);
      assertArrayEquals(all, response.body());
    }
    for (String outside : List.of("bytes=" + size + "-", "bytes=-0", "bytes=9999999999-")) {
      Response response = get(target, "Range: " + outside);
      assertEquals(416, response.status(), outside);
      assertEquals("bytes */" + size, response.header("Content-Range"));
    }
    Response head = client.send(RawClient.request("HEAD", target, "Range: bytes=0-0")).readHead();
    assertEquals(200, head.status());
  }

  private void assertRange(String target, String range, int from, int to) throws IOException {
    byte[] all = content(target);
    Response response = get(target, "Range: " + range);
    assertEquals(206, response.status(), range);
    assertEquals(
        "bytes " + from + "-" + (to - 1) + "/" + all.length, response.header("Content-Range"));
    assertArrayEquals(Arrays.copyOfRange(all, from, to), response.body(), range);
  }

  @ParameterizedTest
  @ValueSource(strings = {SMALL, LARGE})
  void rangeOfTheRightVersionOnly(String target) throws IOException {
    Response whole = get(target);
    String range = "Range: bytes=1-2";
    assertEquals(206, get(target, range, "If-Range: " + whole.header("ETag")).status());
    // A program that changes a file may set its time, as this test does.
    assertEquals(200, get(target, range, "If-Range: " + whole.header("Last-Modified")).status());
    assertEquals(
        200, get(target, range, "If-Unmodified-Since: " + whole.header("Last-Modified")).status());
    assertEquals(200, get(target, range, "If-Range: \"other\"").status());
    assertEquals(200, get(target, range, "If-Range: W/" + whole.header("ETag")).status());
    assertEquals(200, get(target, range, "If-Range: Mon, 03 Feb 2020 04:05:07 GMT").status());
    assertEquals(200, get(target, range, "If-Range: yesterday").status());
  }

  @ParameterizedTest
  @ValueSource(strings = {SMALL, LARGE})
  void conditions(String target) throws IOException {
    Response whole = get(target);
    String etag = whole.header("ETag");
    String date = whole.header("Last-Modified");
    String before = "Mon, 03 Feb 2020 04:05:05 GMT";
    Response unchanged = get(target, "If-None-Match: " + etag);
    assertEquals(304, unchanged.status());
    assertEquals(etag, unchanged.header("ETag"));
    assertTrue(unchanged.has("Date"));
    assertEquals(304, get(target, "If-None-Match: W/" + etag).status());
    assertEquals(304, get(target, "If-None-Match: \"a,b\", " + etag).status());
    assertEquals(304, get(target, "If-None-Match: \"a\"", "If-None-Match: " + etag).status());
    assertEquals(304, get(target, "If-None-Match: *").status());
    assertEquals(200, get(target, "If-None-Match: \"other\"").status());
    assertEquals(304, get(target, "If-Modified-Since: " + date).status());
    assertEquals(200, get(target, "If-Modified-Since: " + before).status());
    assertEquals(200, get(target, "If-Modified-Since: nonsense").status());
    assertEquals(
        200, get(target, "If-None-Match: \"other\"", "If-Modified-Since: " + date).status());
    assertEquals(200, get(target, "If-Match: " + etag).status());
    assertEquals(412, get(target, "If-Match: \"other\"").status());
    assertEquals(412, get(target, "If-Match: W/" + etag).status());
    assertEquals(200, get(target, "If-Unmodified-Since: " + date).status());
    assertEquals(412, get(target, "If-Unmodified-Since: " + before).status());
    assertEquals(304, get(target, "If-None-Match: " + etag, "Range: bytes=0-1").status());
    assertArrayEquals(content(target), get(target).body(), "the connection is in step");
  }

  @Test
  void aChangedFileShows() throws IOException {
    String etag = get(SMALL).header("ETag");
    byte[] other = "something else\n".getBytes(StandardCharsets.US_ASCII);
    Files.write(root.resolve("small.txt"), other);
    Response changed = untilChanged(etag);
    assertEquals(200, changed.status());
    assertArrayEquals(other, changed.body());
    assertNotEquals(etag, changed.header("ETag"));

    Files.delete(root.resolve("small.txt"));
    assertEquals(404, untilChanged(changed.header("ETag")).status());

    write("new.txt", other);
    assertArrayEquals(other, get("/new.txt").body());
  }

  /** Asks until the answer is another one; a change shows within a second. */
  private Response untilChanged(String etag) throws IOException {
    long deadline = System.nanoTime() + 20_000_000_000L;
    Response response = get(SMALL);
    while (etag.equals(response.header("ETag")) && System.nanoTime() < deadline) {
      response = get(SMALL);
    }
    return response;
  }

  @Test
  void indexAndRedirect() throws IOException {
    assertEquals("<p>home</p>", get("/site/").text());
    assertEquals("<p>home</p>", get("/site/index.html").text());
    Response redirect = get("/site?x=1");
    assertEquals(301, redirect.status());
    assertEquals("/site/?x=1", redirect.header("Location"));
    assertEquals("/site/?\u00e9", get("/site?\u00e9").header("Location"));
    assertEquals("/docs/", get("//docs").header("Location"), "must not name another host");
    assertEquals("/docs/sub%20%22dir%22/", get("/docs/sub%20%22dir%22").header("Location"));
    assertEquals(404, get("/small.txt/").status());
  }

  @Test
  void listing() throws IOException {
    Response response = get("/docs/");
    assertEquals(200, response.status());
    assertEquals("text/html; charset=utf-8", response.header("Content-Type"));
    String page = response.text();
    List<String> expected =
        List.of(
            "<a href=\"../\">../</a>",
            "<a href=\"./sub%20%22dir%22/\">sub &quot;dir&quot;/</a>",
            "<a href=\"./a&amp;b%20%3Ci%3E.txt\">a&amp;b &lt;i&gt;.txt</a>",
            "<a href=\"./apple\">apple</a>",
            "<a href=\"./javascript%3Aalert(1)\">javascript:alert(1)</a>",
            "<a href=\"./Zebra\">Zebra</a>");
    int at = 0;
    for (String link : expected) {
      int found = page.indexOf(link, at);
      assertTrue(found >= 0, link + " is missing or out of order in " + page);
      at = found;
    }
    assertFalse(page.contains("<i>"), page);
    assertFalse(get("/").text().contains("href=\"../\""), "the root has no parent");
    assertEquals(1, get("/docs/a&b%20%3Ci%3E.txt").body().length);
    assertEquals(4, get("/docs/javascript%3Aalert(1)").body().length);
  }

  @Test
  void spellingsOfOnePath() throws IOException {
    for (String target :
        List.of(
            "/small.txt?query=/../x",
            "/./small.txt",
            "//small.txt",
            "/%73mall.txt",
            "/smal%6C.txt",
            "http://example.org/small.txt",
            "HTTP://example.org/small.txt?x")) {
      assertArrayEquals(small, get(target).body(), target);
    }
    assertEquals(200, get("http://example.org").status());
  }

  @Test
  void pipelinedRequestsAreAnsweredInOrder() throws IOException {
    String requests =
        RawClient.get(SMALL)
            + RawClient.get("/docs/")
            + RawClient.get(LARGE)
            + RawClient.request("HEAD", LARGE)
            + RawClient.get("/missing")
            + RawClient.get(LARGE, "Range: bytes=1-3")
            + RawClient.request("POST", SMALL, "Content-Length: 5")
            + "hello"
            + RawClient.get("/site/");
    client.send(requests);
    assertArrayEquals(small, client.read().body());
    assertTrue(client.read().text().contains("Zebra"));
    assertArrayEquals(large, client.read().body());
    assertEquals(200, client.readHead().status());
    assertEquals(404, client.read().status());
    assertArrayEquals(Arrays.copyOfRange(large, 1, 4), client.read().body());
    assertEquals(405, client.read().status());
    assertEquals("<p>home</p>", client.read().text());
  }

  @Test
  void aRequestInSingleBytes() throws IOException {
    for (char c : RawClient.get(SMALL).toCharArray()) {
      client.send(String.valueOf(c));
    }
    assertArrayEquals(small, client.read().body());
  }

  @ParameterizedTest
  @ValueSource(strings = {SMALL, LARGE})
  void http10(String target) throws IOException {
    client.send("GET " + target + " HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    Response first = client.read();
    assertEquals("keep-alive", first.header("Connection"));
    assertArrayEquals(content(target), first.body());
    client.send("GET " + target + " HTTP/1.0\r\n\r\nGET " + target + " HTTP/1.0\r\n\r\n");
    Response last = client.read();
    assertEquals("close", last.header("Connection"));
    assertArrayEquals(content(target), last.body());
    assertTrue(client.isEnded(), "nothing follows, though more was asked for");
  }

  @ParameterizedTest
  @ValueSource(strings = {SMALL, LARGE, "/docs/", "/missing"})
  void closeOnDemand(String target) throws IOException {
    Response response = get(target, "Connection: close");
    assertEquals("close", response.header("Connection"));
    assertTrue(client.isEnded());
  }

  @Test
  void aClientThatEndsItsOutputStillGetsItsAnswers() throws IOException {
    client.send(RawClient.get(LARGE) + RawClient.get("/docs/") + RawClient.get(SMALL)).endOutput();
    assertArrayEquals(large, client.read().body());
    assertEquals(200, client.read().status());
    assertArrayEquals(small, client.read().body());
    assertTrue(client.isEnded());
  }

  @Test
  void aSmallBodyIsReadAndDropped() throws IOException {
    client.send(RawClient.get(SMALL, "Content-Length: 3") + "abc" + RawClient.get(LARGE));
    assertArrayEquals(small, client.read().body());
    assertArrayEquals(large, client.read().body());
    client.send(
        RawClient.get(SMALL, "Transfer-Encoding: chunked") + "3\r\nabc\r\n0\r\nT: x\r\n\r\n");
    assertArrayEquals(small, client.read().body());
    client.send(RawClient.get(SMALL, "Expect: 100-continue", "Content-Length: 3"));
    assertEquals(100, client.read().status());
    client.send("abc");
    assertArrayEquals(small, client.read().body());
  }
}
