package dev.mely.examples.proxy;

import static dev.mely.examples.proxy.Proxies.patiently;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients and origins that cannot keep up, or say nothing. */
@Timeout(300)
class SlowPeersTest {
  private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n";

  /** The origin must wait for its reader: a proxy that reads on would take all 300 MB. */
  @Test
  void aSlowReaderHoldsUpItsOriginAndNobodyElse() throws Exception {
    AtomicLong sent = new AtomicLong();
    long huge = 300L << 20;
    CountDownLatch ended = new CountDownLatch(1);
    try (WildOrigin origin =
            new WildOrigin(
                (asked, socket) -> {
                  if (asked.path().equals("/small")) {
                    WildOrigin.send(socket, OK + "\r\nhello");
                    return;
                  }
                  try {
                    WildOrigin.send(
                        socket, "HTTP/1.1 200 OK\r\nContent-Length: " + huge + "\r\n\r\n");
                    byte[] piece = new byte[64 << 10];
                    while (sent.get() < huge) {
                      WildOrigin.send(socket, piece);
                      sent.addAndGet(piece.length);
                    }
                  } finally {
                    ended.countDown();
                  }
                });
        ProxyServer proxy = ProxyServer.start(Proxies.patient());
        HttpClient slow = new HttpClient(proxy.address(), 4096)) {
      slow.send("GET http://" + origin.authority() + "/huge HTTP/1.1\r\nHost: h\r\n\r\n");
      patiently().until(() -> sent.get() > 0);
      AtomicLong before = new AtomicLong(-1);
      patiently()
          .pollInterval(java.time.Duration.ofMillis(300))
          .until(() -> before.getAndSet(sent.get()) == sent.get());
      assertTrue(sent.get() < huge / 4, "read ahead of its reader: " + sent);
      try (HttpClient other = new HttpClient(proxy.address())) {
        assertEquals("hello", other.get("http://" + origin.authority() + "/small").text());
      }
      byte[] some = slow.bytes(1 << 20);
      assertEquals(1 << 20, some.length, "it goes on when there is room");
      slow.reset();
      assertTrue(ended.await(120, TimeUnit.SECONDS), "the origin is let go with its reader");
    }
  }

  @Test
  void aSlowOriginGets504AndItsConnectionIsClosed() throws Exception {
    CountDownLatch ended = new CountDownLatch(2);
    try (WildOrigin origin =
            new WildOrigin(
                (asked, socket) -> {
                  if (asked.path().equals("/half")) {
                    WildOrigin.send(socket, "HTTP/1.1 200 OK\r\nContent-");
                  }
                  WildOrigin.awaitEnd(socket);
                  ended.countDown();
                });
        ProxyServer proxy = ProxyServer.start(Proxies.impatient(60_000, 200, 60_000));
        HttpClient client = new HttpClient(proxy.address())) {
      assertEquals(504, client.get("http://" + origin.authority() + "/never").status());
      assertEquals(504, client.get("http://" + origin.authority() + "/half").status());
      assertTrue(ended.await(120, TimeUnit.SECONDS));
    }
  }

  @Test
  void anOriginThatStopsWithinItsBodyCostsTheConnection() throws Exception {
    try (WildOrigin origin =
            new WildOrigin(
                (asked, socket) -> {
                  WildOrigin.send(socket, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc");
                  WildOrigin.awaitEnd(socket);
                });
        ProxyServer proxy = ProxyServer.start(Proxies.impatient(60_000, 200, 60_000));
        HttpClient client = new HttpClient(proxy.address())) {
      HttpClient.Reply reply;
      do {
        reply = client.get("http://" + origin.authority() + "/");
      } while (reply.status() == 504); // on a busy machine it stops before it has begun
      assertEquals(200, reply.status());
      assertFalse(reply.whole(), reply.text());
    }
  }

  /** A connection that is not accepted: the listener's queue is full. */
  @Test
  void aConnectionThatDoesNotComeAboutIs504() throws Exception {
    java.util.List<Socket> fill = new java.util.ArrayList<>();
    try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        ProxyServer proxy = ProxyServer.start(Proxies.impatient(200, 60_000, 60_000));
        HttpClient client = new HttpClient(proxy.address())) {
      for (int i = 0; i < 4; i++) {
        Socket socket = new Socket();
        fill.add(socket);
        try {
          socket.connect(full.getLocalSocketAddress(), 300);
        } catch (IOException noRoom) {
          break;
        }
      }
      String url = "http://127.0.0.1:" + full.getLocalPort() + "/";
      assertEquals(504, client.get(url).status());
    } finally {
      for (Socket socket : fill) {
        socket.close();
      }
    }
  }

  @Test
  void clientsThatSayNothingOrHalfAWordAreEnded() throws Exception {
    try (ProxyServer proxy = ProxyServer.start(Proxies.impatient(60_000, 60_000, 200));
        HttpClient silent = new HttpClient(proxy.address())) {
      while (!isTimedOutHalfway(proxy)) {
        // On a busy machine it was ended before it had said its half.
      }
      assertTrue(silent.isEnded());
      patiently().until(() -> proxy.clients().open() == 0);
    }
  }

  /** Says half a word. False if the proxy has taken it for one that says nothing. */
  private static boolean isTimedOutHalfway(ProxyServer proxy) throws IOException {
    try (HttpClient half = new HttpClient(proxy.address())) {
      byte[] answer;
      try {
        answer = half.send("GET http://h/ HT").bytes(12);
      } catch (java.net.SocketException reset) {
        return false;
      }
      if (answer.length == 0) {
        return false;
      }
      assertEquals("HTTP/1.1 408", new String(answer, StandardCharsets.US_ASCII));
      return true;
    }
  }

  /** Such a client knows the end of a body by that of the connection: it must not look like one. */
  @ParameterizedTest
  @ValueSource(
      strings = {"Transfer-Encoding: chunked\r\n\r\n5\r\nabc", "Content-Length: 9\r\n\r\nabc"})
  void toHttp10AShortBodyIsNotEndedCleanly(String rest) throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    try (WildOrigin origin =
            new WildOrigin(
                (asked, socket) -> {
                  WildOrigin.send(socket, "HTTP/1.1 200 OK\r\n" + rest);
                  go.await();
                });
        ProxyServer proxy = ProxyServer.start(Proxies.patient());
        HttpClient client = new HttpClient(proxy.address())) {
      client.send("GET http://" + origin.authority() + "/ HTTP/1.0\r\n\r\n");
      assertEquals("HTTP/1.1 200 OK", new String(client.bytes(15), StandardCharsets.US_ASCII));
      go.countDown();
      assertThrows(java.net.SocketException.class, () -> client.bytes(10_000));
    }
  }
}
