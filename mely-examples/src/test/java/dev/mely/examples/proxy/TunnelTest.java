package dev.mely.examples.proxy;

import static dev.mely.examples.proxy.Proxies.patiently;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** CONNECT: bytes in both directions, their end, and silence. */
@Timeout(300)
class TunnelTest {
  @Test
  void aTunnelCarriesBytesAndTheirEnd() throws Exception {
    byte[] much = new byte[8 << 20];
    new java.util.SplittableRandom(7).nextBytes(much);
    try (ServerSocket echo = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        ProxyServer proxy = ProxyServer.start(Proxies.tunneling(echo.getLocalPort()));
        HttpClient client = new HttpClient(proxy.address())) {
      Thread server =
          new Thread(
              () -> {
                try (Socket socket = echo.accept()) {
                  byte[] all = socket.getInputStream().readAllBytes(); // up to the half-close
                  socket.getOutputStream().write(all);
                } catch (IOException e) {
                  // the client sees it
                }
              });
      server.start();
      client.send(
          "CONNECT 127.0.0.1:" + echo.getLocalPort() + " HTTP/1.1\r\nHost: h\r\n\r\nearly ");
      byte[] answer =
          "HTTP/1.1 200 Connection established\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
      assertArrayEquals(answer, client.bytes(answer.length));
      client.send(much);
      client.socket.shutdownOutput();
      assertEquals("early ", new String(client.bytes(6), StandardCharsets.US_ASCII));
      assertArrayEquals(much, client.bytes(much.length));
      assertTrue(client.isEnded());
      patiently().until(() -> proxy.clients().open() == 0);
      server.join();
    }
  }

  /** Both ways: who writes is held up by who does not read. */
  @Test
  void aTunnelDoesNotGrow() throws Exception {
    AtomicLong sent = new AtomicLong();
    try (ServerSocket flood = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        ProxyServer proxy = ProxyServer.start(Proxies.tunneling(flood.getLocalPort()));
        HttpClient client = new HttpClient(proxy.address(), 4096)) {
      Thread server =
          new Thread(
              () -> {
                try (Socket socket = flood.accept()) {
                  byte[] piece = new byte[64 << 10];
                  while (sent.get() < 300 << 20) {
                    socket.getOutputStream().write(piece);
                    sent.addAndGet(piece.length);
                  }
                } catch (IOException e) {
                  // the client has gone
                }
              });
      server.start();
      client.send("CONNECT 127.0.0.1:" + flood.getLocalPort() + " HTTP/1.1\r\nHost: h\r\n\r\n");
      patiently().until(() -> sent.get() > 0);
      AtomicLong before = new AtomicLong(-1);
      patiently()
          .pollInterval(java.time.Duration.ofMillis(300))
          .until(() -> before.getAndSet(sent.get()) == sent.get());
      assertTrue(sent.get() < 75 << 20, "read ahead of its reader: " + sent);
      client.reset();
      server.join(120_000);
      assertFalse(server.isAlive(), "the other side hears of the reset");
      patiently().until(() -> proxy.clients().open() == 0);
    }
  }

  @Test
  void aSilentTunnelIsEnded() throws Exception {
    try (ServerSocket other = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        ProxyServer proxy =
            ProxyServer.start(
                Proxies.impatient(120_000, 120_000, 200)
                    .maxClients(10)
                    .cache(0, 0)
                    .connectPorts(Set.of(other.getLocalPort())))) {
      while (!isMadeAndEnded(proxy, other)) {
        // On a busy machine the client was silent for too long before it had a tunnel.
      }
    }
  }

  /** Makes a tunnel and waits for its end. False if the proxy has ended the client before. */
  private static boolean isMadeAndEnded(ProxyServer proxy, ServerSocket other) throws IOException {
    String made = "HTTP/1.1 200 Connection established\r\n\r\n";
    try (HttpClient client = new HttpClient(proxy.address())) {
      byte[] answer;
      try {
        client.send("CONNECT 127.0.0.1:" + other.getLocalPort() + " HTTP/1.1\r\nHost: h\r\n\r\n");
        answer = client.bytes(made.length());
      } catch (java.net.SocketException reset) {
        return false;
      }
      if (answer.length == 0) {
        return false;
      }
      assertEquals(made, new String(answer, StandardCharsets.US_ASCII));
      try (Socket socket = other.accept()) {
        assertTrue(client.isEnded());
        try {
          assertEquals(-1, socket.getInputStream().read());
        } catch (IOException reset) {
          // so it is over, too
        }
      }
      return true;
    }
  }
}
