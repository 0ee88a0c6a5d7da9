package dev.mely.examples.proxy;

import static dev.mely.examples.proxy.Proxies.patiently;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.examples.http.HttpClock;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The cache between a client and an origin, by a clock that the tests set. */
@Timeout(300)
class CachingTest {
  private final AtomicLong clock = new AtomicLong(1_000_000_000);

  private ProxyServer proxy() throws IOException {
    return ProxyServer.start(Proxies.patient(), clock::get);
  }

  /** An origin that numbers its responses. */
  private WildOrigin counting(String fields) throws IOException {
    AtomicLong number = new AtomicLong();
    return new WildOrigin(
        (asked, socket) -> {
          String body = "response " + number.incrementAndGet();
          WildOrigin.send(
              socket,
              "HTTP/1.1 200 OK\r\nDate: "
                  + HttpClock.format(clock.get())
                  + "\r\nContent-Length: "
                  + body.length()
                  + "\r\n"
                  + fields
                  + "\r\n"
                  + body);
        });
  }

  /** A hit, once the cache has what the origin has said. */
  private static HttpClient.Reply hit(HttpClient client, String url, String... fields) {
    AtomicReference<HttpClient.Reply> reply = new AtomicReference<>();
    patiently()
        .until(
            () -> {
              reply.set(client.get(url, fields));
              return reply.get().isHit();
            });
    return reply.get();
  }

  private static final String ONLY_IF_CACHED = "Cache-Control: only-if-cached";

  /** Waits until the cache has an answer. */
  private static HttpClient.Reply cached(HttpClient client, String url, String... fields) {
    String[] more = java.util.Arrays.copyOf(fields, fields.length + 1);
    more[fields.length] = ONLY_IF_CACHED;
    return hit(client, url, more);
  }

  @Test
  void whatIsFreshIsAnsweredFromTheCacheWithItsAge() throws Exception {
    try (WildOrigin origin = counting("Cache-Control: max-age=100\r\nVia: 1.0 before\r\n");
        ProxyServer proxy = proxy();
        HttpClient client = new HttpClient(proxy.address());
        HttpClient other = new HttpClient(proxy.address())) {
      String url = "http://" + origin.authority() + "/";
      HttpClient.Reply first = client.get(url);
      assertEquals("response 1", first.text());
      assertTrue(first.field("cache-status").endsWith("; fwd=miss"));
      assertEquals("0", cached(client, url).field("age"));
      clock.addAndGet(99);
      HttpClient.Reply hit = other.get(url);
      assertEquals("response 1", hit.text());
      assertEquals("99", hit.field("age"));
      assertEquals(first.field("date"), hit.field("date"));
      assertEquals("1.0 before, 1.1 " + proxy.name, hit.field("via"));
      HttpClient.Reply head = other.ask("HEAD", url);
      assertTrue(head.isHit());
      assertEquals("10", head.field("content-length"));
      assertEquals(1, origin.requests());
      clock.addAndGet(1);
      assertEquals(504, other.get(url, ONLY_IF_CACHED).status());
      assertEquals("response 2", other.get(url).text());
      assertEquals("response 2", cached(client, url).text());
    }
  }

  @Test
  void hostsHaveEntriesOfTheirOwn() throws Exception {
    try (WildOrigin one = counting("Cache-Control: max-age=100\r\n");
        WildOrigin two =
            WildOrigin.saying(
                "HTTP/1.1 200 OK\r\nCache-Control: max-age=9\r\nContent-Length: 3\r\n\r\ntwo");
        ProxyServer proxy = proxy();
        HttpClient client = new HttpClient(proxy.address())) {
      client.get("http://" + one.authority() + "/same");
      assertEquals("response 1", cached(client, "http://" + one.authority() + "/same").text());
      assertEquals("two", client.get("http://" + two.authority() + "/same").text());
      assertEquals("two", cached(client, "http://" + two.authority() + "/same").text());
      assertEquals("response 1", cached(client, "http://" + one.authority() + "/same").text());
    }
  }

  @Test
  void variantsAreKeptApart() throws Exception {
    try (WildOrigin origin =
            new WildOrigin(
                (asked, socket) -> {
                  String body = "for " + asked.field("accept-language");
                  WildOrigin.send(
                      socket,
                      "HTTP/1.1 200 OK\r\nVary: accept-language\r\nCache-Control: max-age=9\r\n"
                          + "Content-Length: "
                          + body.length()
                          + "\r\n\r\n"
                          + body);
                });
        ProxyServer proxy = proxy();
        HttpClient client = new HttpClient(proxy.address())) {
      String url = "http://" + origin.authority() + "/";
      for (String language : new String[] {"da", "en"}) {
        String field = "Accept-Language: " + language;
        assertEquals("for " + language, client.get(url, field).text());
        assertEquals("for " + language, cached(client, url, field).text());
      }
      assertEquals("for da", cached(client, url, "Accept-Language: da").text());
      assertEquals(504, client.get(url, "Accept-Language: fr", ONLY_IF_CACHED).status());
      assertEquals("for fr", client.get(url, "Accept-Language: fr").text());
      assertEquals("for null", client.get(url).text());
    }
  }

  /** Section 4.3: with both validators; a 304 makes it fresh, and brings new fields. */
  @Test
  void whatIsStaleIsValidated() throws Exception {
    AtomicReference<String> tag = new AtomicReference<>("\"one\"");
    try (WildOrigin origin =
            new WildOrigin(
                (asked, socket) -> {
                  String fields =
                      "ETag: "
                          + tag.get()
                          + "\r\nLast-Modified: Sat, 01 Jan 2000 00:00:00 GMT\r\n"
                          + "Cache-Control: max-age=10\r\nX-Count: "
                          + clock.get()
                          + "\r\nDate: "
                          + HttpClock.format(clock.get())
                          + "\r\n";
                  boolean known = tag.get().equals(asked.field("if-none-match"));
                  WildOrigin.send(
                      socket,
                      known
                          ? "HTTP/1.1 304 Not Modified\r\n" + fields + "\r\n"
                          : "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n"
                              + fields
                              + "\r\n"
                              + tag.get());
                });
        ProxyServer proxy = proxy();
        HttpClient client = new HttpClient(proxy.address())) {
      String url = "http://" + origin.authority() + "/";
      assertEquals("\"one\"", client.get(url).text());
      cached(client, url);
      clock.addAndGet(11);
      HttpClient.Reply validated = client.get(url);
      assertEquals(200, validated.status());
      assertEquals("\"one\"", validated.text());
      assertEquals("" + clock.get(), validated.field("x-count"));
      assertEquals("0", validated.field("age"));
      WildOrigin.Asked[] log = origin.log();
      assertEquals("\"one\"", log[log.length - 1].field("if-none-match"));
      assertEquals("Sat, 01 Jan 2000 00:00:00 GMT", log[log.length - 1].field("if-modified-since"));
      assertEquals("" + clock.get(), cached(client, url).field("x-count"), "fresh again");
      // The client's own copy is good: it is told so, by the cache and by way of it.
      assertEquals(304, client.get(url, "If-None-Match: \"one\"").status());
      clock.addAndGet(11);
      HttpClient.Reply told = client.get(url, "If-None-Match: W/\"one\"");
      assertEquals(304, told.status());
      assertEquals("\"one\"", told.field("etag"));
      clock.addAndGet(11);
      tag.set("\"two\"");
      assertEquals("\"two\"", client.get(url).text());
      assertEquals("\"two\"", cached(client, url).text());
      assertEquals("\"two\"", client.get(url, "Cache-Control: no-cache").text());
      assertEquals("\"two\"", client.get(url, "If-None-Match: \"one\"").text());
    }
  }

  /** An origin that confirms what it was not asked about is asked again, without a condition. */
  @Test
  void a304ForAnotherVersionIsNotBelieved() throws Exception {
    try (WildOrigin origin =
            new WildOrigin(
                (asked, socket) ->
                    WildOrigin.send(
                        socket,
                        asked.field("if-none-match") != null
                            ? "HTTP/1.1 304 Not Modified\r\nETag: \"other\"\r\n\r\n"
                            : "HTTP/1.1 200 OK\r\nETag: \"a\"\r\nContent-Length: 3\r\n\r\nnew"));
        ProxyServer proxy = proxy();
        HttpClient client = new HttpClient(proxy.address())) {
      String url = "http://" + origin.authority() + "/";
      patiently()
          .until(
              () -> {
                HttpClient.Reply reply = client.get(url);
                assertEquals("new", reply.text());
                assertFalse(reply.isHit(), "it was not confirmed");
                return java.util.Arrays.stream(origin.log())
                    .anyMatch(asked -> asked.field("if-none-match") != null);
              });
    }
  }

  @Test
  void a304ThatNobodyAskedForIs502() throws Exception {
    try (WildOrigin origin = WildOrigin.saying("HTTP/1.1 304 Not Modified\r\n\r\n");
        ProxyServer proxy = proxy();
        HttpClient client = new HttpClient(proxy.address())) {
      String url = "http://" + origin.authority() + "/";
      assertEquals(502, client.get(url).status());
      assertEquals(304, client.get(url, "If-None-Match: \"a\"").status());
    }
  }

  /** Its newer answer may not be kept: the older one must not be given out in its place. */
  @Test
  void whatTheOriginNoLongerSaysIsForgotten() throws Exception {
    AtomicReference<String> says = new AtomicReference<>("max-age=10");
    try (WildOrigin origin =
            new WildOrigin(
                (asked, socket) ->
                    WildOrigin.send(
                        socket,
                        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nCache-Control: "
                            + says.get()
                            + "\r\n\r\nab"));
        ProxyServer proxy = proxy();
        HttpClient client = new HttpClient(proxy.address())) {
      String url = "http://" + origin.authority() + "/";
      client.get(url);
      cached(client, url);
      clock.addAndGet(20);
      says.set("no-store");
      assertFalse(client.get(url).isHit());
      patiently()
          .until(() -> client.get(url, "Cache-Control: only-if-cached, max-stale").status() == 504);
    }
  }

  @Test
  void rangesGoPastTheCache() throws Exception {
    try (WildOrigin origin = counting("Cache-Control: max-age=100\r\n");
        ProxyServer proxy = proxy();
        HttpClient client = new HttpClient(proxy.address())) {
      String url = "http://" + origin.authority() + "/";
      client.get(url);
      cached(client, url);
      HttpClient.Reply part = client.get(url, "Range: bytes=0-3");
      assertTrue(part.field("cache-status").endsWith("fwd=bypass"));
      assertEquals("bytes=0-3", origin.log()[origin.requests() - 1].field("range"));
      assertEquals("response 1", cached(client, url).text());
    }
  }

  /** Responses with a wrong or without an end: a client may get one, but the cache must not. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "Content-Length: 6\r\n\r\nshort",
        "Content-Length: 4\r\n\r\nlonger",
        "Content-Length: 0\r\n\r\nlonger",
        "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
        "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n",
        "Transfer-Encoding: chunked\r\n\r\n3\r\nabcd\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\n3;a=\"\u00e9\"\r\nabc\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\n3;a=b \r\nabc\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\n3;a\0=b\r\nabc\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\n3;a=\"b\nc\"\r\nabc\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\n3;a=\"b\r\nabc\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\n3;\r\nabc\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\n3\nabc\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nbad trailer\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\nmore",
        "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
        "Transfer-Encoding: gzip, chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
        "Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc",
        "Content-Length: 3, 3\r\n\r\nabc",
        "Content-Length: x\r\n\r\nabc",
        "\r\nuntil the end",
        "X: y\r\n folded\r\nContent-Length: 3\r\n\r\nabc",
        "X: y\nContent-Length: 3\r\n\r\nabc"
      })
  void aResponseWhoseEndIsInDoubtIsNotStored(String rest) throws Exception {
    try (WildOrigin origin =
            WildOrigin.saying("HTTP/1.1 200 OK\r\nCache-Control: max-age=100\r\n" + rest);
        ProxyServer proxy = proxy()) {
      String url = "http://" + origin.authority() + "/";
      for (int i = 0; i < 3; i++) {
        try (HttpClient client = new HttpClient(proxy.address())) {
          HttpClient.Reply reply = client.get(url);
          assertFalse(reply.isHit());
          assertTrue(reply.status() == 502 || reply.status() == 200);
        } catch (java.net.SocketException reset) {
          // the response had begun when it turned out to be wrong
        }
      }
      try (HttpClient client = new HttpClient(proxy.address())) {
        assertEquals(504, client.get(url, ONLY_IF_CACHED).status());
      }
      assertEquals(3, origin.requests());
      patiently().until(() -> proxy.cache.collected() == 0);
    }
  }

  @Test
  void whatIsLargerThanMayBeKeptIsPassedOnAndNotKept() throws Exception {
    String body = "0123456789".repeat(60_000);
    try (WildOrigin origin =
            new WildOrigin(
                (asked, socket) ->
                    WildOrigin.send(
                        socket,
                        "HTTP/1.1 200 OK\r\nCache-Control: max-age=100\r\n"
                            + (asked.path().equals("/chunked")
                                ? "Transfer-Encoding: chunked\r\n\r\n"
                                    + Integer.toHexString(body.length())
                                    + "\r\n"
                                    + body
                                    + "\r\n0\r\n\r\n"
                                : "Content-Length: " + body.length() + "\r\n\r\n" + body)));
        ProxyServer proxy = ProxyServer.start(Proxies.caching(64 << 20, 500_000));
        HttpClient client = new HttpClient(proxy.address())) {
      for (String path : new String[] {"/chunked", "/length"}) {
        String url = "http://" + origin.authority() + path;
        assertEquals(body, client.get(url).text());
        assertEquals(body, client.get(url).text());
        assertEquals(504, client.get(url, ONLY_IF_CACHED).status());
      }
      assertEquals(0, proxy.cache.collected());
    }
  }

  /** A client that goes away in the middle takes with it what would have been stored. */
  @Test
  void aClientThatGoesAwayLeavesNothing() throws Exception {
    CountDownLatch middle = new CountDownLatch(1);
    CountDownLatch gone = new CountDownLatch(1);
    try (WildOrigin origin =
            new WildOrigin(
                (asked, socket) -> {
                  WildOrigin.send(
                      socket,
                      "HTTP/1.1 200 OK\r\nCache-Control: max-age=9\r\nContent-Length: 400000\r\n\r\n");
                  try {
                    byte[] piece = new byte[100];
                    for (int i = 0; i < 4_000; i++) {
                      WildOrigin.send(socket, piece);
                      if (i == 100) {
                        middle.await();
                      } else if (i > 100) {
                        Thread.sleep(1); // the proxy hears of the client before it has all
                      }
                    }
                  } finally {
                    gone.countDown();
                  }
                });
        ProxyServer proxy = proxy()) {
      String url = "http://" + origin.authority() + "/";
      try (HttpClient client = new HttpClient(proxy.address())) {
        client.send("GET " + url + " HTTP/1.1\r\nHost: h\r\n\r\n").bytes(500);
        client.reset();
      }
      middle.countDown();
      assertTrue(gone.await(120, TimeUnit.SECONDS));
      patiently().until(() -> proxy.clients().open() == 0 && proxy.cache.collected() == 0);
      try (HttpClient client = new HttpClient(proxy.address())) {
        assertEquals(504, client.get(url, ONLY_IF_CACHED).status());
      }
    }
  }

  @Test
  void withoutACacheEverythingIsPassedOn() throws Exception {
    try (WildOrigin origin = counting("Cache-Control: max-age=100\r\n");
        ProxyServer proxy = ProxyServer.start(Proxies.caching(0, 0));
        HttpClient client = new HttpClient(proxy.address())) {
      for (int i = 1; i < 5; i++) {
        assertEquals("response " + i, client.get("http://" + origin.authority() + "/").text());
      }
    }
  }

  /** RFC 9112, section 7.1.1: what is not understood is ignored, and means nothing further on. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "5;a=b\r\nhello\r\n0\r\n\r\n",
        "5\r\nhello\r\n0;sig=abc\r\n\r\n",
        "5;a\r\nhello\r\n0;a;b;c\r\n\r\n",
        "5;a=\"b;\\\"c\tA\"\r\nhello\r\n0\r\n\r\n",
        "5 ; a\t= b ;c\r\nhello\r\n0\r\n\r\n",
        "5   \r\nhello\r\n0\r\n\r\n",
        "2;x=y\r\nhe\r\n003\r\nllo\r\n000;z\r\nTrailer: dropped\r\n\r\n"
      })
  void extensionsOfChunksAreIgnoredAndDropped(String chunks) throws Exception {
    try (WildOrigin origin =
            WildOrigin.saying(
                "HTTP/1.1 200 OK\r\nCache-Control: max-age=9\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + chunks);
        ProxyServer proxy = proxy();
        HttpClient client = new HttpClient(proxy.address())) {
      String url = "http://" + origin.authority() + "/";
      HttpClient.Reply reply = client.get(url); // which reads sizes and nothing else
      assertEquals(200, reply.status());
      assertTrue(reply.whole());
      assertEquals("hello", reply.text());
      assertEquals("hello", cached(client, url).text());
    }
  }

  /** SECURITY.md: private responses are not shared, even if the origin allows it. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "max-age=100",
        "public, max-age=100",
        "s-maxage=100",
        "max-age=100, must-revalidate"
      })
  void whatHasToDoWithACookieIsNotStored(String wishes) throws Exception {
    try (WildOrigin origin =
            new WildOrigin(
                (asked, socket) -> {
                  String sets = asked.path().equals("/set") ? "Set-Cookie: id=1\r\n" : "";
                  String body = asked.field("cookie") == null ? "for all" : "for one";
                  WildOrigin.send(
                      socket,
                      "HTTP/1.1 200 OK\r\nContent-Length: 7\r\nETag: \"a\"\r\nCache-Control: "
                          + wishes
                          + "\r\n"
                          + sets
                          + "\r\n"
                          + body);
                });
        ProxyServer proxy = proxy();
        HttpClient one = new HttpClient(proxy.address());
        HttpClient other = new HttpClient(proxy.address())) {
      String url = "http://" + origin.authority() + "/";
      assertEquals("for one", one.get(url, "Cookie: id=1").text());
      one.get(url + "after"); // when the one before is settled
      assertEquals(504, other.get(url, ONLY_IF_CACHED).status());
      assertEquals("for all", other.get(url).text());
      assertEquals("for all", cached(other, url).text());
      HttpClient.Reply again = one.get(url, "cookie: id=1");
      assertEquals("for one", again.text(), "nor is it answered with what is for all");
      assertTrue(again.field("cache-status").endsWith("fwd=bypass"));
      one.get(url + "after");
      assertEquals("for all", cached(other, url).text(), "which stays there");
      one.get(url + "set");
      one.get(url + "after");
      assertEquals(504, other.get(url + "set", ONLY_IF_CACHED).status());
    }
  }

  /** A 304 to one person, or with a cookie, changes nothing for others. */
  @Test
  void whatIsConfirmedToOnePersonIsNotForAll() throws Exception {
    try (WildOrigin origin =
            new WildOrigin(
                (asked, socket) -> {
                  String fields = "ETag: \"a\"\r\nCache-Control: max-age=10\r\n";
                  String user = asked.field("cookie");
                  WildOrigin.send(
                      socket,
                      asked.field("if-none-match") == null
                          ? "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n" + fields + "\r\nab"
                          : "HTTP/1.1 304 Not Modified\r\nSet-Cookie: id=2\r\nX-User: "
                              + user
                              + "\r\n"
                              + fields
                              + "\r\n");
                });
        ProxyServer proxy = proxy();
        HttpClient one = new HttpClient(proxy.address());
        HttpClient other = new HttpClient(proxy.address())) {
      String url = "http://" + origin.authority() + "/";
      one.get(url);
      cached(other, url);
      clock.addAndGet(11);
      assertEquals(304, one.get(url, "Cookie: one", "If-None-Match: \"a\"").status());
      one.get(url + "after");
      HttpClient.Reply stale = other.get(url, "Cache-Control: only-if-cached, max-stale");
      assertEquals(200, stale.status());
      assertFalse(stale.fields().containsKey("x-user"), "" + stale.fields());
      assertEquals("id=2", other.get(url).field("set-cookie"), "confirmed, to who has asked");
      other.get(url + "after");
      assertEquals(504, one.get(url, "Cache-Control: only-if-cached, max-stale").status());
    }
  }
}
