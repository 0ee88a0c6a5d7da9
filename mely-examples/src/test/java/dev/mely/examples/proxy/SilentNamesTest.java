package dev.mely.examples.proxy;

import static dev.mely.examples.proxy.Proxies.patiently;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Name servers that do not answer until the end of the test delay only the requests for their
 * names.
 */
@Timeout(300)
class SilentNamesTest {
  private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";

  private final CountDownLatch speak = new CountDownLatch(1);
  private final AtomicInteger resolved = new AtomicInteger();
  private final AtomicInteger silent = new AtomicInteger();
  private final List<HttpClient> crowd = new ArrayList<>();
  private WildOrigin origin;
  private ProxyServer proxy;

  private InetAddress[] resolve(String host) throws Exception {
    resolved.incrementAndGet();
    switch (host.replaceAll("[0-9]+", "")) {
      case "silent.example" -> {
        silent.incrementAndGet();
        speak.await();
      }
      case "unknown.example" -> throw new UnknownHostException(host);
      case "runtime.example" -> throw new IllegalStateException(host);
      case "memory.example" -> throw new OutOfMemoryError(host);
      case "stack.example" -> throw new StackOverflowError(host);
      default -> {}
    }
    return new InetAddress[] {InetAddress.getByName("127.0.0.1")};
  }

  @BeforeEach
  void begin() throws Exception {
    origin = WildOrigin.saying(OK);
    proxy = ProxyServer.start(Proxies.tunneling(origin.address().getPort()), this::resolve);
  }

  @AfterEach
  void end() throws Exception {
    for (HttpClient client : crowd) {
      client.close();
    }
    speak.countDown();
    proxy.close();
    origin.close();
  }

  private String at(String host) {
    return host + ":" + origin.address().getPort();
  }

  /** Half of them tunnels. They wait, each for a name of its own. */
  private void crowd(int count) throws Exception {
    for (int i = 0; i < count; i++) {
      HttpClient client = new HttpClient(proxy.address());
      crowd.add(client);
      String authority = at("silent" + i + ".example");
      String line = i % 2 == 0 ? "GET http://" + authority + "/" : "CONNECT " + authority;
      client.send(line + " HTTP/1.1\r\nHost: h\r\n\r\n");
    }
    patiently().until(() -> proxy.lookups.underWay() == count);
    int begun = Math.min(count, Lookups.THREADS / 2);
    patiently().until(() -> silent.get() == begun);
  }

  @ParameterizedTest
  @ValueSource(ints = {4, 12, Lookups.THREADS / 2, Lookups.THREADS})
  void othersDoNotWait(int silent) throws Exception {
    try (HttpClient client = new HttpClient(proxy.address())) {
      assertEquals("hello", client.get("http://" + at("known.example") + "/").text());
      crowd(silent);
      int asked = resolved.get();
      for (String host : List.of("127.0.0.1", "known.example", "KNOWN.example")) {
        assertEquals("hello", client.get("http://" + at(host) + "/").text());
      }
      assertEquals(asked, resolved.get(), "there was nothing to look up");
      if (silent < Lookups.THREADS / 2) {
        assertEquals("hello", client.get("http://" + at("new.example") + "/").text());
      }
    }
  }

  /** Also if all that the proxy hears is the end of their output. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void clientsThatHaveLeftDoNotCount(boolean reset) throws Exception {
    crowd(Lookups.THREADS);
    for (HttpClient client : crowd) {
      if (reset) {
        client.reset();
      } else {
        client.close();
      }
    }
    patiently().until(() -> proxy.clients().open() == 0);
    assertEquals(Lookups.THREADS / 2, proxy.lookups.underWay(), "those that cannot be broken off");
    speak.countDown();
    patiently().until(() -> proxy.lookups.underWay() == 0);
    assertEquals(Lookups.THREADS / 2, resolved.get(), "nobody wanted the others any more");
  }

  @Test
  void oneLookupForAllWhoAskForTheSame() throws Exception {
    for (int i = 0; i < 10; i++) {
      HttpClient client = new HttpClient(proxy.address());
      crowd.add(client);
      client.send("GET http://" + at("silent.example") + "/ HTTP/1.1\r\nHost: h\r\n\r\n");
    }
    patiently().until(() -> proxy.requests() == 10);
    patiently().until(() -> resolved.get() == 1);
    speak.countDown();
    for (HttpClient client : crowd) {
      assertEquals("hello", client.read(false).text());
    }
    assertEquals(1, resolved.get());
  }

  @Test
  void addressesNeedNoLookupAndNoThread() throws Exception {
    try (HttpClient client = new HttpClient(proxy.address())) {
      assertEquals("hello", client.get("http://" + at("127.0.0.1") + "/").text());
      assertEquals("hello", client.get("http://" + at("[::ffff:127.0.0.1]") + "/").text());
      int status = client.get("http://" + at("[::1]") + "/").status(); // the origin is not there
      assertEquals(502, status);
      client.send("CONNECT " + at("127.0.0.1") + " HTTP/1.1\r\nHost: h\r\n\r\n");
      assertEquals(200, client.readOne(true).status());
      assertEquals(0, resolved.get());
    }
  }

  /** Any exception of a lookup is answered, and has no later effect. */
  @ParameterizedTest
  @ValueSource(strings = {"unknown", "runtime", "memory", "stack"})
  void aLookupThatFailsIsAnswered(String what) throws Exception {
    int status = what.equals("unknown") ? 502 : 503;
    try (HttpClient client = new HttpClient(proxy.address());
        HttpClient tunnel = new HttpClient(proxy.address())) {
      assertEquals(status, client.get("http://" + at(what + ".example") + "/").status());
      tunnel.send("CONNECT " + at(what + ".example") + " HTTP/1.1\r\nHost: h\r\n\r\n");
      assertEquals(status, tunnel.read(false).status());
      assertEquals("hello", client.get("http://" + at("known.example") + "/").text());
    }
    patiently().until(() -> proxy.clients().open() == 0);
    patiently().until(() -> proxy.lookups.busy() == 0);
    assertTrue(proxy.lookups.underWay() == 0);
  }
}
