package dev.mely.examples.proxy;

import static dev.mely.examples.proxy.Proxies.patiently;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.AbstractList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * An {@code Error} in any step: its client is answered or its connection ended, and its place, its
 * share of memory and its origin's connection are given back.
 */
@Timeout(300)
class FaultsTest {
  private final AtomicLong clock = new AtomicLong(1_000_000_000);
  private final AtomicInteger asked = new AtomicInteger();
  private final AtomicInteger failing = new AtomicInteger(Integer.MAX_VALUE);
  private final Set<Thread> serving = ConcurrentHashMap.newKeySet();

  /** The seconds; once, when it is asked for the nth time, an Error. */
  private long now() {
    if (asked.incrementAndGet() == failing.get()) {
      throw new OutOfMemoryError("planted");
    }
    return clock.get();
  }

  private void failAtCall(int n) {
    failing.set(asked.get() + n);
  }

  private WildOrigin origin() throws IOException {
    return new WildOrigin(
        (request, socket) -> {
          serving.add(Thread.currentThread());
          try {
            WildOrigin.send(
                socket,
                "HTTP/1.1 200 OK\r\nCache-Control: max-age=100\r\nETag: \"a\"\r\n"
                    + "Content-Length: 5\r\n\r\nhello");
          } finally {
            serving.remove(Thread.currentThread());
          }
        });
  }

  private static void nothingIsLeft(ProxyServer proxy) {
    patiently().until(() -> proxy.clients().open() == 0);
    patiently().until(() -> proxy.cache.collected() == 0);
  }

  /** In the color of the connection: before the origin is asked, and when it has answered. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void inAStepOfAConnection(int call) throws Exception {
    try (WildOrigin origin = origin();
        ProxyServer proxy = ProxyServer.start(Proxies.patient(), this::now)) {
      String url = "http://" + origin.authority() + "/";
      try (HttpClient client = new HttpClient(proxy.address())) {
        patiently().until(() -> client.get(url).isHit());
        clock.addAndGet(200); // it is validated
        failAtCall(call);
        assertThrows(IOException.class, () -> client.get(url), "it is ended, and does not hang");
      }
      nothingIsLeft(proxy);
      try (HttpClient client = new HttpClient(proxy.address())) {
        assertEquals("hello", client.get(url).text());
      }
      nothingIsLeft(proxy);
      patiently().until(serving::isEmpty);
    }
  }

  /** A list of answers that throws at every access. */
  private static final class Broken extends AbstractList<StoredResponse> {
    @Override
    public StoredResponse get(int index) {
      throw new StackOverflowError("planted");
    }

    @Override
    public int size() {
      return 1;
    }
  }

  private static void plant(ProxyServer proxy, String url) {
    CachePart part = proxy.cache.part(url);
    patiently()
        .until(
            () -> {
              AtomicBoolean done = new AtomicBoolean();
              proxy
                  .nio()
                  .mely()
                  .register(
                      part.color(),
                      dev.mely.Handler.of(
                          (AtomicBoolean flag) -> {
                            part.entries.put(url, new Broken());
                            flag.set(true);
                          }),
                      done);
              patiently().untilTrue(done);
              return true;
            });
  }

  /** In the color of a part of the cache, which looks, fails, and then fails to store. */
  @Test
  void inAPartOfTheCache() throws Exception {
    try (WildOrigin origin = origin();
        ProxyServer proxy = ProxyServer.start(Proxies.patient(), this::now);
        HttpClient client = new HttpClient(proxy.address())) {
      String url = "http://" + origin.authority() + "/";
      plant(proxy, url);
      assertEquals("hello", client.get(url).text(), "the origin is asked");
      patiently().until(() -> client.get(url).isHit()); // the part was emptied, and goes on
      List<String> entries = List.copyOf(proxy.cache.part(url).entries.keySet());
      assertEquals(List.of(url), entries);
      client.socket.shutdownOutput();
      nothingIsLeft(proxy);
    }
  }

  /** Where no answer comes at all, the idle timeout holds for the proxy's own steps, too. */
  @Test
  void aCacheThatDoesNotAnswerCostsTheConnection() throws Exception {
    try (WildOrigin origin = origin();
        ProxyServer proxy = ProxyServer.start(Proxies.impatient(60_000, 60_000, 200))) {
      String url = "http://" + origin.authority() + "/";
      CachePart part = proxy.cache.part(url);
      java.util.concurrent.CountDownLatch go = new java.util.concurrent.CountDownLatch(1);
      proxy
          .nio()
          .mely()
          .register(
              part.color(),
              dev.mely.Handler.of((java.util.concurrent.CountDownLatch latch) -> latch.await()),
              go);
      try (HttpClient client = new HttpClient(proxy.address())) {
        client.send("GET " + url + " HTTP/1.1\r\nHost: h\r\n\r\n");
        assertTrue(client.isEnded());
        patiently().until(() -> proxy.clients().open() == 0);
      } finally {
        go.countDown();
      }
    }
  }
}
