package dev.mely.examples.sws;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.examples.Mutations;
import dev.mely.examples.http.EntityTags;
import dev.mely.examples.sws.hostile.TrickTexts;
import java.io.IOException;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;

/**
 * The same bytes get the same bytes from each build, with responses in memory and without: status
 * lines, fields in their order, bodies, and the end of the connection; all but the date.
 *
 * <p>Behind each input comes a request of its own: its answer shows that the connection was open.
 */
@TestInstance(Lifecycle.PER_CLASS)
class SameAnswersTest {
  private static final int INPUTS = Integer.getInteger("mely.same.inputs", 200);
  private static final long SEED = Long.getLong("mely.fuzz.seed", 1);
  private static final String MARK = "GET /mark HTTP/1.1\r\nHost: m\r\nConnection: close\r\n\r\n";

  private static final Pattern HEAD =
      Pattern.compile("(HTTP/1\\.1 \\d{3} [^\r]*)\r\n(.*?)\r\n\r\n", Pattern.DOTALL);

  /** Of a malformed request, which may be wrong in several ways. */
  private static final Pattern REFUSED =
      Pattern.compile("(\\(length\\)\n(?:[^\n]++\n)*+\n)\\d{3} [^\n]*\n[^\n]*\n");

  private static final Pattern LONG = Pattern.compile("[a-z]{100,}+");

  private static final String[] METHODS = {
    "GET", "GET", "GET", "GET", "HEAD", "HEAD", "POST", "PUT", "OPTIONS", "TRACE", "get", "G,T", ""
  };
  private static final String[] TARGETS = {
    "/",
    "/small",
    "/small?x=/y&z",
    "/large",
    "/empty",
    "/d",
    "/d/",
    "/d?x",
    "/d/page.html",
    "/i/",
    "/i",
    "/.",
    "/..",
    "/d/../small",
    "/d/%2e%2e/small",
    "/%2e",
    "/%73mall",
    "/sm%61ll#f",
    "/caf%C3%A9",
    "/caf\u00c3\u00a9",
    "/%",
    "/%zz",
    "/%00",
    "/%2f",
    "/a%5cb",
    "//small",
    "/small/",
    "/none",
    "/none/x?y",
    "http://h/small",
    "http://other:80/d?x",
    "HTTP://h",
    "http:///small",
    "https://h/small",
    "ftp://h/small",
    "http://a@h/small",
    "*",
    "small",
    "h:80",
    "?x",
    ""
  };
  private static final String[] VERSIONS = {
    "HTTP/1.1",
    "HTTP/1.1",
    "HTTP/1.1",
    "HTTP/1.1",
    "HTTP/1.0",
    "HTTP/1.0",
    "HTTP/1.2",
    "HTTP/2.0",
    "HTTP/0.9",
    "HTTP/1.10",
    "http/1.1",
    "HTTP/11",
    ""
  };
  private static final String[] HOSTS = {
    "Host: h\r\n",
    "Host: h\r\n",
    "Host: h\r\n",
    "host:h:80\r\n",
    "HOST: [::1]:8080 \r\n",
    "",
    "Host: h\r\nHost: h\r\n",
    "Host:\r\n",
    "Host: a b\r\n",
    "Host: other\r\n",
    "Host: h:99999\r\n"
  };
  private static final String[] CONNECTIONS = {
    "close", "keep-alive", "Close, x", "KEEP-ALIVE", "x, close", "", "upgrade", "closed"
  };
  private static final String[] EXPECTED = {
    "100-continue", "100-Continue", "x", "", "100-continue, x"
  };
  private static final String[] RANGES = {
    "bytes=0-9", "bytes=5-", "bytes=-7", "bytes=0-0", "bytes=2-1", "bytes=0-999999999", "bytes=-0",
    "bytes=999999999-", "bytes=0-1,4-5", "BYTES=1-2", "lines=1-2", "bytes=", "bytes= 1-2", "x"
  };
  private static final String[] BODIES = {
    "Content-Length: 5\r\n\r\n01234",
    "Content-Length: 0\r\n\r\n",
    "Content-Length: 05\r\n\r\n01234",
    "Content-Length: +5\r\n\r\n01234",
    "Content-Length: 5\r\nContent-Length: 5\r\n\r\n01234",
    "Content-Length: 70000\r\n\r\n" + "x".repeat(70_000),
    "Content-Length: 60000\r\n\r\n" + "x".repeat(60_000),
    "Transfer-Encoding: chunked\r\n\r\n5\r\n01234\r\n0\r\n\r\n",
    "Transfer-Encoding: chunked\r\n\r\n5;a=b\r\n01234\r\n0;c\r\nX: y\r\n\r\n",
    "Transfer-Encoding: chunked\r\n\r\n5;\r\n01234\r\n0\r\n\r\n",
    "Transfer-Encoding: chunked\r\n\r\n5;=b\r\n01234\r\n0\r\n\r\n",
    "Transfer-Encoding: chunked\r\n\r\n5;a=\"\u00e9\"\r\n01234\r\n0\r\n\r\n",
    "Transfer-Encoding: chunked\r\n\r\n5;a=\"b\r\n01234\r\n0\r\n\r\n",
    "Transfer-Encoding: chunked\r\n\r\n5;a b\r\n01234\r\n0\r\n\r\n",
    "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
    "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
    "Transfer-Encoding: chunked\r\n\r\n5\r\n01234x\r\n0\r\n\r\n"
  };
  private static final String[] SPICES = {
    "\r\n",
    "\n",
    "\r",
    " ",
    "\t",
    ":",
    ";",
    "=",
    ",",
    "%",
    "/",
    "..",
    "?",
    "\"",
    "\0",
    "\u00ff",
    "Host: x\r\n",
    "Content-Length: 3\r\n",
    "Transfer-Encoding: chunked\r\n",
    "HTTP/1.1",
    "0\r\n\r\n"
  };

  /** All of one folder. */
  private final Map<String, WebServer> servers = new LinkedHashMap<>();

  private final List<String> tags = new ArrayList<>();
  private final List<String> dates = new ArrayList<>();

  @BeforeAll
  void start(@TempDir Path root) throws IOException {
    for (String directory : List.of("d", "i")) {
      Files.createDirectory(root.resolve(directory));
    }
    write(root, "small", 1_000);
    write(root, "large", 200_000);
    write(root, "empty", 0);
    write(root, "mark", 4);
    write(root, "d/page.html", 300);
    write(root, "i/index.html", 20);
    write(root, "café", 10);
    for (Build build : Transports.available()) {
      servers.put(build.toString(), build.start(Transports.config(root, build)));
      servers.put(
          build + " without a memory",
          build.start(Transports.config(root, build).prebuilt(128 * 1024, 0)));
    }
    for (WebServer server : servers.values()) {
      // Of a file that has just changed the tag is weak, and becomes strong at no time of ours.
      await()
          .atMost(Duration.ofMinutes(2))
          .until(() -> !exchange(server, bytes("HEAD /large", "")).contains(EntityTags.WEAK));
    }
    for (String file : List.of("small", "large")) {
      String answer = exchange(servers.values().iterator().next(), bytes("GET /" + file, ""));
      String tag = answer.replaceFirst("(?s).*\netag: ([^\n]*)\n.*", "$1");
      tags.addAll(List.of(tag, EntityTags.WEAK + tag, tag.substring(1), "\"x\", " + tag));
    }
    tags.addAll(List.of("*", "\"x\"", "", "x", "\"x\" \"y\""));
    dates.addAll(
        List.of(
            "Sun, 06 Nov 1994 08:49:37 GMT",
            "Sunday, 06-Nov-94 08:49:37 GMT",
            "Sun Nov  6 08:49:37 1994",
            "Sun, 06 Nov 1994 08:49:36 GMT",
            "Sun, 06 Nov 1994 08:49:38 GMT",
            "Sun, 06 Nov 2094 08:49:38 GMT",
            "Mon, 06 Nov 1994 08:49:37 GMT",
            "yesterday",
            ""));
  }

  private static void write(Path root, String name, int size) throws IOException {
    String content =
        new SplittableRandom(size)
            .ints(size, 'a', 'z' + 1)
            .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
            .toString();
    Path file = Files.writeString(root.resolve(name), content);
    Files.setLastModifiedTime(file, FileTime.from(Instant.parse("1994-11-06T08:49:37Z")));
  }

  @AfterAll
  void stop() throws IOException {
    for (WebServer server : servers.values()) {
      server.close();
    }
  }

  private static byte[] bytes(String line, String rest) {
    String request = line + " HTTP/1.1\r\nHost: h\r\n\r\n" + rest;
    return request.getBytes(StandardCharsets.ISO_8859_1);
  }

  /** All that comes back, until the connection ends. */
  private static String exchange(WebServer server, byte[] input) throws IOException {
    byte[] all = Arrays.copyOf(input, input.length + MARK.length());
    System.arraycopy(MARK.getBytes(StandardCharsets.US_ASCII), 0, all, input.length, MARK.length());
    for (int tries = 1; ; tries++) {
      try (RawClient client = new RawClient(server)) {
        client.send(all).endOutput();
        String answers = HEAD.matcher(client.rest()).replaceAll(SameAnswersTest::sorted);
        answers = REFUSED.matcher(answers).replaceAll("$1(reason)");
        return LONG.matcher(answers).replaceAll(SameAnswersTest::summary);
      } catch (SocketException reset) {
        // What is sent behind a last request may come when the connection has just been closed.
        if (tries == 1_000) {
          throw reset;
        }
      }
    }
  }

  /** The order of fields means nothing. */
  private static String sorted(MatchResult head) {
    boolean closes = head.group(1).compareTo("HTTP/1.1 4") > 0 && head.group().contains(": close");
    String fields =
        head.group(2)
            .lines()
            .filter(line -> !line.startsWith("date: "))
            .map(line -> closes ? line.replaceFirst("^content-length: [1-9].*", "(length)") : line)
            .sorted()
            .collect(Collectors.joining("\n"));
    return Matcher.quoteReplacement(head.group(1) + "\n" + fields + "\n\n");
  }

  /** What a file's content is, so that a difference can be read. */
  private static String summary(MatchResult content) {
    String text = content.group();
    return "(" + text.length() + " bytes, " + Integer.toHexString(text.hashCode()) + ")";
  }

  private void check(byte[] input, String name) throws IOException {
    String first = null;
    for (Map.Entry<String, WebServer> server : servers.entrySet()) {
      String answers = exchange(server.getValue(), input);
      if (first == null) {
        first = answers;
        assertTrue(answers.isEmpty() || answers.startsWith("HTTP/1.1 "), name);
      } else {
        assertEquals(
            first,
            answers,
            () ->
                server.getKey()
                    + ", "
                    + name
                    + ": "
                    + new String(input, StandardCharsets.ISO_8859_1));
      }
    }
  }

  @Test
  void ofRequests() throws IOException {
    for (int i = 0; i < INPUTS; i++) {
      SplittableRandom random = new SplittableRandom(SEED + i);
      StringBuilder requests = new StringBuilder();
      for (int n = random.nextInt(1, 4); n > 0; n--) {
        requests.append(request(random));
      }
      check(
          requests.toString().getBytes(StandardCharsets.ISO_8859_1),
          "-Dmely.same.inputs=1 -Dmely.fuzz.seed=" + (SEED + i));
    }
  }

  @Test
  void ofWhatIsNearlyRequests() throws IOException {
    for (int i = 0; i < INPUTS; i++) {
      SplittableRandom random = new SplittableRandom(SEED + i);
      check(
          Mutations.of(request(random), SPICES, random),
          "-Dmely.same.inputs=1 -Dmely.fuzz.seed=" + (SEED + i));
    }
  }

  @Test
  void ofTricks() throws IOException {
    for (String trick : TrickTexts.all()) {
      check(trick.getBytes(StandardCharsets.ISO_8859_1), "a trick");
    }
  }

  /** Mostly right in each place, so that most requests are wrong in at most one. */
  private String request(SplittableRandom random) {
    boolean plain = random.nextInt(3) > 0; // and it is the conditions that count
    StringBuilder text = new StringBuilder();
    text.append(plain ? "GET" : one(METHODS, random)).append(' ');
    text.append(plain ? one(TARGETS, random, 5) : one(TARGETS, random)).append(' ');
    text.append(plain ? "HTTP/1.1" : one(VERSIONS, random)).append("\r\n");
    text.append(plain ? "Host: h\r\n" : one(HOSTS, random));
    add(text, "Connection", CONNECTIONS, random, 6);
    add(text, "Range", RANGES, random, 3);
    String[] allTags = tags.toArray(String[]::new);
    String[] allDates = dates.toArray(String[]::new);
    add(text, "If-Range", random.nextBoolean() ? allTags : allDates, random, 4);
    add(text, "If-None-Match", allTags, random, 5);
    add(text, "If-Match", allTags, random, 5);
    add(text, "If-Modified-Since", allDates, random, 5);
    add(text, "if-unmodified-since", allDates, random, 5);
    add(text, "Expect", EXPECTED, random, 10);
    return text.append(random.nextInt(5) == 0 ? one(BODIES, random) : "\r\n").toString();
  }

  private static void add(
      StringBuilder text, String name, String[] values, SplittableRandom random, int seldom) {
    if (random.nextInt(seldom) == 0) {
      text.append(name).append(": ").append(one(values, random)).append("\r\n");
    }
  }

  private static String one(String[] values, SplittableRandom random) {
    return one(values, random, values.length);
  }

  private static String one(String[] values, SplittableRandom random, int first) {
    return values[random.nextInt(first)];
  }
}
