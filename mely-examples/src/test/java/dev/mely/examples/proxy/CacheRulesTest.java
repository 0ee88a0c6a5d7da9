package dev.mely.examples.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.Mely;
import dev.mely.examples.http.HeadReader;
import dev.mely.examples.http.Header;
import dev.mely.examples.http.HttpClock;
import dev.mely.examples.http.StatusLine;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** RFC 9111, a section a test. Times are in seconds; {@code @n} is the date n seconds from NOW. */
class CacheRulesTest {
  private static final long NOW = 1_000_000_000;
  private static final String URL = "http://h/path";

  private static ProxyRequest request(String method, String url, String fields) throws Exception {
    String start = method + " " + url + " HTTP/1.1";
    return ProxyRequest.parse(head(HeadReader.ofRequests(), start, "Host: h;" + fields), "me");
  }

  private static HeadReader.Head<StatusLine> head(String start, @Nullable String fields)
      throws Exception {
    return head(HeadReader.ofResponses(), start, fields);
  }

  private static <S> HeadReader.Head<S> head(
      HeadReader<S> reader, String start, @Nullable String fields) throws Exception {
    StringBuilder text = new StringBuilder(start).append("\r\n");
    if (fields != null) {
      for (String field : fields.split(";")) {
        text.append(dates(field.strip())).append(field.isBlank() ? "" : "\r\n");
      }
    }
    reader.feed(ByteBuffer.wrap((text + "\r\n").getBytes(StandardCharsets.ISO_8859_1)));
    return Objects.requireNonNull(reader.next());
  }

  private static String dates(String field) {
    int at = field.indexOf('@');
    return at < 0
        ? field
        : field.substring(0, at)
            + HttpClock.format(NOW + Long.parseLong(field.substring(at + 1).strip()));
  }

  private static OriginResponse response(int status, @Nullable String fields) throws Exception {
    return OriginResponse.parse(head("HTTP/1.1 " + status + " Said", fields));
  }

  private static @Nullable StoredResponse toStore(
      ProxyRequest request, int status, @Nullable String fields) throws Exception {
    return CacheRules.toStore(request, response(status, fields), new byte[0], NOW, NOW);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      value = {
        // section 3, what may be stored at all
        "200|Cache-Control: max-age=60|true",
        "200|Cache-Control: s-maxage=60|true",
        "200|Cache-Control: public, max-age=60|true",
        "200|Expires: @60|true",
        "200|ETag: \"a\"|true",
        "200|Last-Modified: @-1000|true",
        "200|-|false",
        "200|Cache-Control: public|false",
        "200|Cache-Control: no-store, max-age=60|false",
        "200|Cache-Control: max-age=60;Cache-Control: no-store|false",
        "200|Cache-Control: NO-STORE, max-age=60|false",
        "200|Cache-Control: private, max-age=60|false",
        "200|Cache-Control: private=\"x\", max-age=60|false",
        "200|Cache-Control: max-age=60, private=\"x, no-store|false",
        "200|Cache-Control: no-cache;ETag: \"a\"|true",
        "200|Cache-Control: max-age=0|false",
        "200|Cache-Control: max-age=0;ETag: \"a\"|true",
        "200|ETag: unquoted|false",
        "404|Cache-Control: max-age=60|true",
        "302|Cache-Control: max-age=60|true",
        "302|ETag: \"a\"|false",
        "206|Cache-Control: max-age=60|false",
        "500|Cache-Control: max-age=60|false",
        "304|Cache-Control: max-age=60|false",
        "201|Cache-Control: max-age=60|false",
        "200|Cache-Control: max-age=60;Content-Range: bytes 0-1/2|false",
        // section 4.1, and what this cache does not compare
        "200|Cache-Control: max-age=60;Vary: *|false",
        "200|Cache-Control: max-age=60;Vary: accept, *|false",
        "200|Cache-Control: max-age=60;Vary: Accept|true",
        "200|Cache-Control: max-age=60;Vary: If-None-Match|false",
        // section 7.3
        "200|Cache-Control: max-age=60;Set-Cookie: a=b|false",
        "200|Cache-Control: public, max-age=60;Set-Cookie: a=b|false",
        "200|Cache-Control: s-maxage=60;set-cookie: a=b|false",
        // RFC 9110, section 7.6.1: what is not passed on cannot be gone by
        "200|Cache-Control: max-age=60;Connection: cache-control|false",
        "200|Cache-Control: max-age=60;Vary: a;Connection: vary|false"
      })
  void section3WhatIsStored(int status, String fields, boolean stored) throws Exception {
    assertEquals(stored, toStore(request("GET", URL, ""), status, fields) != null);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      value = {
        "GET|Authorization: Basic eA==|Cache-Control: max-age=60|false",
        "GET|Authorization: Basic eA==|Cache-Control: max-age=60, public|true",
        "GET|Authorization: Basic eA==|Cache-Control: s-maxage=60|true",
        "GET|Authorization: Basic eA==|Cache-Control: max-age=60, must-revalidate|true",
        "GET|Cookie: a=b|Cache-Control: max-age=60|false",
        "GET|cookie: a=b|Cache-Control: public, max-age=60|false",
        "GET|Cookie: a=b|Cache-Control: s-maxage=60;Vary: Cookie|false",
        "GET|Cookie: a=b|ETag: \"a\"|false",
        "GET|X: y|Cache-Control: max-age=60;Vary: Cookie|true",
        "GET|Proxy-Authorization: Basic eA==|Cache-Control: max-age=60|true",
        "GET|Cache-Control: no-store|Cache-Control: max-age=60|false",
        "GET|Cache-Control: no-cache|Cache-Control: max-age=60|true",
        "GET|Range: bytes=0-1|Cache-Control: max-age=60|false",
        "GET|If-Match: \"a\"|Cache-Control: max-age=60|false",
        "GET|Connection: cookie;Cookie: a|Cache-Control: max-age=60|false",
        "HEAD|X: y|Cache-Control: max-age=60|false"
      })
  void section3Point5WhatTheRequestForbids(
      String method, String asked, String fields, boolean stored) throws Exception {
    assertEquals(stored, toStore(request(method, URL, asked), 200, fields) != null);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      value = {
        "Cache-Control: s-maxage=5, max-age=60;Expires: @90|5",
        "Cache-Control: max-age=60;Expires: @90|60",
        "Cache-Control: max-age=\"60\"|60",
        "Expires: @90|90",
        "Date: @-10;Expires: @90|100",
        "Expires: @-1|0",
        "Expires: 0|0",
        "Expires: @90;Expires: @95|0",
        "Cache-Control: max-age=1, max-age=2;Expires: @90|0",
        "Cache-Control: max-age=-1;Expires: @90|0",
        "Cache-Control: max-age;Expires: @90|0",
        "Cache-Control: max-age=99999999999999999999|2147483648",
        // 4.2.2: a tenth, a day at most
        "Last-Modified: @-1000|100",
        "Date: @-10;Last-Modified: @-1010|100",
        "Last-Modified: @-100000000|86400",
        "Last-Modified: @50|0",
        "Last-Modified: yesterday|0",
        "-|0"
      })
  void section4Point2Point1Lifetime(String fields, long lifetime) throws Exception {
    Header header = head("HTTP/1.1 200 OK", fields).header();
    assertEquals(lifetime, Freshness.lifetime(header, CacheControl.of(header), true, NOW), fields);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "max-age=60|60",
        ",, max-age=60 ,\t|60",
        "MAX-AGE=\"6\\0\"|60",
        "a=\"b, max-age=5 \\\", c\", max-age=60|60",
        "max-age|0",
        "max-age=|-1",
        "max-age =60|-1",
        "max-age= 60|-1",
        "max-age=60 5|-1",
        "max-age=\"60|-1",
        "max-age=\"60\\\"|-1",
        "max-age=60, (|-1"
      })
  void section5Point2WhatIsNoDirectiveIsTakenForTheStrictest(String line, long seconds) {
    CacheControl wishes = CacheControl.of(Header.EMPTY.with("Cache-Control", line));
    assertEquals(seconds, wishes.has("max-age") ? wishes.seconds("max-age", 0) : -1);
    assertEquals(seconds < 0, wishes.has("no-store"));
  }

  @Test
  void aLongQuotedValueIsRead() {
    String line = "a=\"" + "b\\\"".repeat(100_000) + "\", max-age=60";
    CacheControl wishes = CacheControl.of(Header.EMPTY.with("Cache-Control", line));
    assertEquals(60, wishes.seconds("max-age", 0));
  }

  @Test
  void section4Point2Point2NoHeuristicForQueriesAndOtherStatuses() throws Exception {
    assertEquals(100, heuristic(URL, 200));
    assertEquals(0, heuristic(URL + "?a=b", 200));
    assertEquals(0, heuristic(URL, 302));
    assertEquals(0, heuristic(URL, 307));
  }

  private static long heuristic(String url, int status) throws Exception {
    OriginResponse answer = response(status, "Last-Modified: @-1000");
    return StoredResponse.of(request("GET", url, ""), answer, new byte[0], NOW, NOW).lifetime();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      value = {
        "-|0|0", "Age: 7|0|7", "Age: 7|3|10", "Date: @-20|0|20", "Date: @-20;Age: 7|3|20",
        "Date: @-5;Age: 7|3|10", "Date: @50|0|0", "Age: x|2|2", "Age: -1|0|0", "Date: x|0|0"
      })
  void section4Point2Point3Age(String fields, long delay, long age) throws Exception {
    Header header = head("HTTP/1.1 200 OK", fields).header();
    assertEquals(age, Freshness.initialAge(header, NOW - delay, NOW));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      value = {
        // 4.2: fresh as long as the lifetime is more than the age
        "max-age=60|-|59|SERVE",
        "max-age=60|-|60|VALIDATE",
        // 5.2.1.1
        "max-age=60|max-age=10|10|SERVE",
        "max-age=60|max-age=10|11|VALIDATE",
        "max-age=60|max-age=0|0|SERVE",
        "max-age=60|max-age=x|1|VALIDATE",
        // 5.2.1.2
        "max-age=60|max-stale|90|SERVE",
        "max-age=60|max-stale=30|90|SERVE",
        "max-age=60|max-stale=30|91|VALIDATE",
        "max-age=60|max-stale=x|60|VALIDATE",
        "max-age=60, must-revalidate|max-stale|60|VALIDATE",
        "max-age=60, proxy-revalidate|max-stale|60|VALIDATE",
        "s-maxage=60|max-stale|60|VALIDATE",
        // 5.2.1.3
        "max-age=60|min-fresh=20|40|SERVE",
        "max-age=60|min-fresh=20|41|VALIDATE",
        "max-age=60|min-fresh=x|1|VALIDATE",
        // 5.2.1.4, 5.2.2.4
        "max-age=60|no-cache|0|VALIDATE",
        "max-age=60, no-cache|-|0|VALIDATE",
        "max-age=60, no-cache|max-stale|0|VALIDATE",
        "max-age=60, no-cache=\"a\"|-|0|VALIDATE"
      })
  void section4WhenAStoredResponseAnswers(
      String response, @Nullable String asked, long age, CacheRules.Use use) throws Exception {
    ProxyRequest request = request("GET", URL, asked == null ? "" : "Cache-Control: " + asked);
    StoredResponse stored =
        toStore(request("GET", URL, ""), 200, "ETag: \"a\";Cache-Control: " + response);
    assertNotNull(stored);
    assertEquals(use, CacheRules.use(stored, request.wishes(), NOW + age));
  }

  @Test
  void section5Point4PragmaCountsWithoutCacheControl() throws Exception {
    assertTrue(request("GET", URL, "Pragma: no-cache").wishes().has("no-cache"));
    assertFalse(
        request("GET", URL, "Pragma: no-cache;Cache-Control: max-age=1").wishes().has("no-cache"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      value = {
        "Vary: A|A: 1|A: 1|true",
        "Vary: A|A: 1|A: 2|false",
        "Vary: A|A: 1|-|false",
        "Vary: A|-|A: 1|false",
        "Vary: A|-|-|true",
        "Vary: A|-|B: 1|true",
        "Vary: a|A: 1|a: 1|true",
        "Vary: A|A: 1,2|A: 1 ,\t2|true",
        "Vary: A|A: 1,2|A: 1;A: 2|true",
        "Vary: A|A: 1,2|A: 2,1|false",
        "Vary: A|A: x|A: X|false",
        "Vary: A, B|A: 1;B: 1|A: 1;B: 2|false",
        "Vary: A;Vary: B|A: 1;B: 1|A: 1;B: 2|false",
        "Vary: A, B|A: 1;B: 1|B: 1;A: 1|true",
        "-|A: 1|A: 2|true"
      })
  void section4Point1Vary(
      @Nullable String response, @Nullable String first, @Nullable String second, boolean same)
      throws Exception {
    Vary vary =
        Vary.of(
            head("HTTP/1.1 200 OK", response).header(),
            request("GET", URL, first == null ? "" : first).header());
    assertEquals(same, vary.matches(request("GET", URL, second == null ? "" : second).header()));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      value = {
        "If-None-Match: \"a\"|true",
        "If-None-Match: W/\"a\"|true",
        "If-None-Match: \"b\", \"a\"|true",
        "If-None-Match: \"b\";If-None-Match: \"a\"|true",
        "If-None-Match: *|true",
        "If-None-Match: \"b\"|false",
        "If-None-Match: a|false",
        "If-None-Match: \"b\";If-Modified-Since: @0|false",
        "If-Modified-Since: @-100|true",
        "If-Modified-Since: @-101|false",
        "If-Modified-Since: now|false",
        "X: y|false"
      })
  void section4Point3Point2WhatTheClientHasAlready(String asked, boolean known) throws Exception {
    StoredResponse stored =
        toStore(request("GET", URL, ""), 200, "ETag: \"a\";Last-Modified: @-100");
    assertNotNull(stored);
    assertEquals(known, stored.isKnownTo(request("GET", URL, asked)));
  }

  @Test
  void section4Point3Point4WhatA304Updates() throws Exception {
    StoredResponse stored =
        toStore(
            request("GET", URL, ""),
            200,
            "ETag: \"a\";Content-Type: text/plain;Age: 5;X: old;Y: kept;Cache-Control: max-age=1");
    assertNotNull(stored);
    OriginResponse answer =
        response(304, "ETag: W/\"a\";Content-Type: x/y;x: new;X: newer;Cache-Control: max-age=9");
    assertTrue(stored.isConfirmedBy(answer));
    assertFalse(stored.isConfirmedBy(response(304, "ETag: \"b\"")));
    Header header = stored.headerAfter(answer, NOW + 50);
    assertEquals("\"a\"", header.get("etag"));
    assertEquals("text/plain", header.get("content-type"));
    assertEquals(java.util.List.of("new", "newer"), header.all("x"));
    assertEquals("kept", header.get("y"));
    assertEquals(java.util.List.of("max-age=9"), header.all("cache-control"));
    assertEquals(HttpClock.format(NOW + 50), header.get("date"));
    assertNull(header.get("age"));
  }

  @ParameterizedTest
  @CsvSource({
    "http://h/a, http://h/a, true",
    "http://h/a, http://H:80/a, true",
    "HTTP://h/a, http://h:080/a, true",
    "http://h, http://h/, true",
    "http://h?q, http://h/?q, true",
    "http://h/a, http://h/b, false",
    "http://h/a, http://h/A, false",
    "http://h/a, http://i/a, false",
    "http://h/a, http://h:81/a, false",
    "http://h/a, http://h/a?, false"
  })
  void section2Keys(String one, String other, boolean same) throws Exception {
    assertEquals(same, Target.absolute(one).key().equals(Target.absolute(other).key()));
  }

  // ---- The cache itself

  private static StoredResponse of(String fields, String asked, int size) throws Exception {
    StoredResponse head =
        toStore(request("GET", URL, asked), 200, "Cache-Control: max-age=60;" + fields);
    assertNotNull(head);
    return head.with(new byte[size]);
  }

  @Test
  void aPartKeepsWhatWasUsedLastWithinItsBytes() throws Exception {
    try (Mely mely = Mely.builder().cores(1).pinned(false).build()) {
      CachePart part = new CachePart(mely.newColor(), 100_000);
      Header asked = request("GET", URL, "").header();
      for (int i = 0; i < 9; i++) {
        part.put("http://h/" + i, asked, of("X: y", "", 10_000));
      }
      assertNotNull(part.find("http://h/0", asked));
      part.put("http://h/9", asked, of("X: y", "", 15_000));
      assertTrue(part.bytes() <= 100_000);
      assertNotNull(part.find("http://h/0", asked), "used a moment ago");
      assertNull(part.find("http://h/1", asked), "the least recently used one");
      part.put("http://h/0", asked, of("X: y", "", 100_000));
      assertNull(part.find("http://h/0", asked), "too large, and what it replaces is outdated");
      for (int i = 0; i < 10; i++) {
        part.remove("http://h/" + i, asked);
      }
      assertEquals(0, part.bytes(), "counted right");
    }
  }

  @Test
  void aPartKeepsSomeVariantsOfOneUrl() throws Exception {
    try (Mely mely = Mely.builder().cores(1).pinned(false).build()) {
      CachePart part = new CachePart(mely.newColor(), 1_000_000);
      for (int i = 0; i < 100; i++) {
        String asked = "A: " + i;
        part.put(URL, request("GET", URL, asked).header(), of("Vary: A", asked, i));
      }
      for (int i = 0; i < 100; i++) {
        StoredResponse found = part.find(URL, request("GET", URL, "A: " + i).header());
        assertEquals(i < 84 ? -1 : i, found == null ? -1 : found.body().length);
      }
      for (int i = 0; i < 100; i++) {
        part.remove(URL, request("GET", URL, "A: " + i).header());
      }
      assertEquals(0, part.bytes());
    }
  }
}
