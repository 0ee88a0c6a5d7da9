package dev.mely.examples.sws;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.examples.http.HttpClock;
import dev.mely.examples.sws.RawClient.Response;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Versions of a file that have one size and one time of change, and times that cannot be true. */
@ParameterizedClass
@MethodSource("dev.mely.examples.sws.Transports#available")
class VersionsTest {
  /** From memory, from disk with its content looked at, and from disk without. */
  private static final int SMALL = 1_000;

  private static final int LARGE = 200_000;
  private static final FileTime LONG_AGO = FileTime.from(Instant.ofEpochSecond(1));

  @Parameter Build build;

  @TempDir Path root;
  private WebServer server;
  private RawClient client;

  @BeforeEach
  void start() throws IOException {
    server = build.start(Transports.config(root, build));
    client = new RawClient(server);
  }

  private void restart() throws IOException {
    stop();
    start();
  }

  @AfterEach
  void stop() throws IOException {
    client.close();
    server.close();
  }

  private Response get(String target, String... headers) throws IOException {
    return client.send(RawClient.get(target, headers)).read();
  }

  private Response head(String target, String... headers) throws IOException {
    return client.send(RawClient.request("HEAD", target, headers)).readHead();
  }

  private static byte[] content(int size, int version) {
    byte[] bytes = new byte[size];
    Arrays.fill(bytes, (byte) version);
    return bytes;
  }

  /** Writes in place: the same file, the same size, the same time. */
  private void write(String name, byte[] content) throws IOException {
    Path file = root.resolve(name);
    Files.write(file, content, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    Files.setLastModifiedTime(file, LONG_AGO);
  }

  /** Asks until the version is there; a change shows within a second. */
  private Response untilIs(String target, byte[] content) {
    return await().until(() -> get(target), response -> Arrays.equals(content, response.body()));
  }

  private Response untilStrong(String target) {
    return await().until(() -> get(target), response -> !response.header("ETag").startsWith("W/"));
  }

  @ParameterizedTest
  @ValueSource(ints = {SMALL, LARGE})
  void otherContentInPlace(int size) throws IOException {
    byte[] before = content(size, 1);
    byte[] after = content(size, 2);
    write("f", before);
    restart(); // a small one is in memory now
    Response first = untilStrong("/f");
    assertArrayEquals(before, first.body());
    String tag = first.header("ETag");
    assertEquals(304, get("/f", "If-None-Match: " + tag).status());
    assertEquals(206, get("/f", "Range: bytes=5-", "If-Range: " + tag).status());

    write("f", after);
    assertNotEquals(tag, untilIs("/f", after).header("ETag"));
    assertNotEquals(tag, head("/f").header("ETag"));
    assertArrayEquals(after, get("/f", "If-None-Match: " + tag).body());
    assertEquals(200, head("/f", "If-None-Match: " + tag).status());
    for (String validator : List.of(tag, first.header("Last-Modified"), "W/" + tag)) {
      Response resumed = get("/f", "Range: bytes=5-", "If-Range: " + validator);
      assertEquals(200, resumed.status(), validator);
      assertArrayEquals(after, resumed.body());
    }
    String date = "If-Unmodified-Since: " + first.header("Last-Modified");
    assertEquals(200, get("/f", "Range: bytes=5-", date).status());
    assertEquals(412, get("/f", "If-Match: " + tag).status());
    assertEquals(412, get("/f", "If-Match: " + tag, "Range: bytes=5-").status());
  }

  @ParameterizedTest
  @ValueSource(ints = {SMALL, LARGE})
  void otherContentByRenaming(int size) throws IOException {
    write("f", content(size, 1));
    write("next", content(size, 2));
    restart();
    String tag = untilStrong("/f").header("ETag");
    Files.move(root.resolve("next"), root.resolve("f"), StandardCopyOption.ATOMIC_MOVE);
    assertNotEquals(tag, untilIs("/f", content(size, 2)).header("ETag"));
    assertEquals(200, get("/f", "If-None-Match: " + tag).status());
  }

  /** As where releases are directories: nothing of the files themselves changes. */
  @ParameterizedTest
  @ValueSource(ints = {SMALL, LARGE})
  void otherContentByALink(int size) throws IOException {
    for (int version = 1; version <= 2; version++) {
      Path release = Files.createDirectory(root.resolve("v" + version));
      Files.write(release.resolve("index.html"), content(size, version));
      Files.setLastModifiedTime(release.resolve("index.html"), LONG_AGO);
    }
    Files.createSymbolicLink(root.resolve("now"), Path.of("v1"));
    String tag = untilStrong("/now/").header("ETag");
    Files.delete(root.resolve("now"));
    Files.createSymbolicLink(root.resolve("now"), Path.of("v2"));
    untilIs("/now/", content(size, 2));
    assertArrayEquals(content(size, 2), get("/now/", "If-None-Match: " + tag).body());
    assertEquals(200, get("/now/", "Range: bytes=5-", "If-Range: " + tag).status());
  }

  /** The clock of a file system moves by ticks; a version between two of them must not stay. */
  @ParameterizedTest
  @ValueSource(ints = {SMALL, LARGE})
  void manyVersionsInOneMoment(int size) throws IOException {
    for (int round = 0; round < 3; round++) {
      byte[] before = content(size, 2 * round);
      byte[] after = content(size, 2 * round + 1);
      write("f", before);
      String tag = get("/f").header("ETag");
      write("f", after);
      Response last = untilIs("/f", after);
      await().until(() -> !untilStrong("/f").header("ETag").equals(tag.replace("W/", "")));
      assertEquals(200, get("/f", "If-None-Match: " + tag).status());
      if (!last.header("ETag").startsWith("W/")) {
        assertNotEquals(tag, last.header("ETag"));
      }
    }
  }

  /** Read in the same moment in which it was written, a file may change without a sign. */
  @Test
  void aSmallFileThatChangesWhileTheServerStarts() throws IOException {
    for (int round = 0; round < 2; round++) {
      write("f", content(SMALL, 2 * round));
      restart();
      write("f", content(SMALL, 2 * round + 1));
      untilIs("/f", content(SMALL, 2 * round + 1));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {SMALL, LARGE})
  void aFileThatHasJustChanged(int size) throws IOException {
    write("f", content(size, 1));
    Response response = get("/f");
    String tag = response.header("ETag");
    if (tag.startsWith("W/")) {
      assertEquals(200, get("/f", "Range: bytes=1-", "If-Range: " + tag).status());
      assertEquals(412, get("/f", "If-Match: " + tag).status());
      assertEquals(200, get("/f", "If-Match: *").status());
    }
    tag = untilStrong("/f").header("ETag");
    assertEquals(200, get("/f", "If-Match: \"x\", " + tag).status());
    assertEquals(206, get("/f", "If-Match: " + tag, "Range: bytes=1-").status());
    assertEquals(206, get("/f", "If-Range: " + tag, "Range: bytes=1-").status());
  }

  /** Of a small file it is the content's, wherever it comes from. */
  @Test
  void oneTagInMemoryAndOnDisk() throws IOException {
    write("f", content(SMALL, 1));
    String onDisk = get("/f").header("ETag");
    restart();
    assertEquals(onDisk, get("/f").header("ETag"));
    write("f", content(SMALL, 2));
    assertNotEquals(onDisk, untilIs("/f", content(SMALL, 2)).header("ETag"));
    write("f", content(SMALL, 1));
    assertEquals(onDisk, untilIs("/f", content(SMALL, 1)).header("ETag"));
  }

  // ---- Times

  @ParameterizedTest
  @ValueSource(ints = {SMALL, LARGE})
  void timesThatCannotBeTrue(int size) throws IOException {
    for (String time :
        List.of("2099-01-01T00:00:00Z", "2400-01-01T00:00:00Z", "1950-01-01T00:00:00Z")) {
      write("f", content(size, 1));
      Files.setLastModifiedTime(root.resolve("f"), FileTime.from(Instant.parse(time)));
      restart();
      for (Response response : List.of(get("/f"), head("/f"), get("/f", "Range: bytes=1-2"))) {
        long date = HttpClock.parse(response.header("Date"), Long.MIN_VALUE);
        long modified = HttpClock.parse(response.header("Last-Modified"), Long.MAX_VALUE);
        assertTrue(0 <= modified && modified <= date, time + " is " + modified);
      }
      assertEquals(200, get("/").status(), "listing");
    }
  }

  /** The time of a file in memory is told as soon as it is no longer in the future. */
  @ParameterizedTest
  @ValueSource(ints = {SMALL, LARGE})
  void timeThatComes(int size) throws IOException {
    write("f", content(size, 1));
    long second = HttpClock.now().second() + 3;
    Files.setLastModifiedTime(root.resolve("f"), FileTime.from(Instant.ofEpochSecond(second)));
    restart();
    String comes = HttpClock.format(second);
    await().until(() -> get("/f").header("Last-Modified").equals(comes));
    assertEquals(304, get("/f", "If-Modified-Since: " + comes).status());
  }

  @ParameterizedTest
  @ValueSource(ints = {SMALL, LARGE})
  void datesInEachForm(int size) throws IOException {
    write("f", content(size, 1));
    Files.setLastModifiedTime(
        root.resolve("f"), FileTime.from(Instant.parse("1994-11-06T08:49:37Z")));
    restart();
    for (String same :
        List.of(
            "Sun, 06 Nov 1994 08:49:37 GMT",
            "Sunday, 06-Nov-94 08:49:37 GMT",
            "Sun Nov  6 08:49:37 1994",
            "Fri, 01 Jan 2100 00:00:00 GMT")) {
      assertEquals(304, get("/f", "If-Modified-Since: " + same).status(), same);
      assertEquals(304, head("/f", "If-Modified-Since: " + same).status(), same);
      assertEquals(200, get("/f", "If-Unmodified-Since: " + same).status(), same);
    }
    for (String earlier :
        List.of(
            "Sun, 06 Nov 1994 08:49:36 GMT",
            "Sunday, 06-Nov-94 08:49:36 GMT",
            "Sun Nov  6 08:49:36 1994",
            "Saturday, 01-Jan-77 00:00:00 GMT")) {
      assertEquals(200, get("/f", "If-Modified-Since: " + earlier).status(), earlier);
      assertEquals(412, get("/f", "If-Unmodified-Since: " + earlier).status(), earlier);
    }
    for (String none :
        List.of(
            "Mon, 06 Nov 1994 08:49:37 GMT",
            "Sun, 31 Feb 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 08:49:37 +0000",
            "Sun, 06 Nov 94 08:49:37 GMT",
            "1994-11-06T08:49:37Z",
            "784111777",
            "yesterday")) {
      assertEquals(200, get("/f", "If-Modified-Since: " + none).status(), none);
      assertEquals(200, get("/f", "If-Unmodified-Since: " + none).status(), none);
    }
    assertFalse(get("/f").header("Last-Modified").isEmpty());
  }
}
