package dev.mely.examples.proxy;

import static dev.mely.examples.proxy.Proxies.patiently;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A thousand clients that send nothing, send half a request, or do not read hold up no other one.
 */
@Timeout(300)
class CrowdTest {
  private static final int IDLE = 1_000;
  private static final String OK = "HTTP/1.1 200 OK\r\nCache-Control: max-age=9\r\n";

  @Test
  void idleAndSlowOnesStopNobody() throws Exception {
    List<HttpClient> crowd = new ArrayList<>();
    try (WildOrigin origin =
            new WildOrigin(
                (asked, socket) -> {
                  if (asked.path().equals("/never")) {
                    WildOrigin.awaitEnd(socket);
                  }
                  String body = asked.path().equals("/large") ? "x".repeat(4 << 20) : "fine";
                  WildOrigin.send(
                      socket, OK + "Content-Length: " + body.length() + "\r\n\r\n" + body);
                });
        ServerSocket mute = new ServerSocket(0);
        ProxyServer proxy = ProxyServer.start(Proxies.tunneling(mute.getLocalPort()))) {
      String url = "http://" + origin.authority();
      for (int i = 0; i < IDLE; i++) {
        crowd.add(new HttpClient(proxy.address(), i < 40 ? 4096 : 0));
      }
      for (int i = 0; i < 20; i++) {
        crowd.get(i).send("GET " + url + "/large HTTP/1.1\r\nHost: h\r\n\r\n"); // and reads nothing
        crowd.get(20 + i).send("GET " + url + "/never HTTP/1.1\r\nHost: h\r\n\r\n");
        crowd.get(40 + i).send("GET " + url + "/hal");
        crowd
            .get(60 + i)
            .send("GET " + url + "/ HTTP/1.1\r\nHost: h\r\nX: ")
            .socket
            .shutdownOutput();
        crowd
            .get(80 + i)
            .send("CONNECT 127.0.0.1:" + mute.getLocalPort() + " HTTP/1.1\r\nHost: h\r\n\r\n");
      }
      HttpClient slow = crowd.get(100);
      String request = "GET " + url + "/ HTTP/1.1\r\nHost: h\r\n\r\n";
      for (int i = 0; i < 100; i++) {
        slow.send(request.substring(i % request.length(), i % request.length() + 1));
        try (HttpClient witness = new HttpClient(proxy.address())) {
          assertEquals("fine", witness.get(url + "/" + i % 10).text());
        }
      }
      for (HttpClient client : crowd) {
        client.reset();
      }
      patiently().until(() -> proxy.clients().open() <= 20); // whose origins will never answer
      origin.stop();
      patiently().until(() -> proxy.clients().open() == 0 && proxy.cache.collected() == 0);
    } finally {
      for (HttpClient client : crowd) {
        client.close();
      }
    }
  }

  @Test
  void whoIsOneTooManyIsClosedAtOnce() throws Exception {
    ProxyConfig few = Proxies.patient().maxClients(2).cache(0, 0);
    try (ProxyServer proxy = ProxyServer.start(few);
        HttpClient one = new HttpClient(proxy.address());
        HttpClient two = new HttpClient(proxy.address());
        HttpClient three = new HttpClient(proxy.address())) {
      assertTrue(three.isEnded());
      assertEquals(2, proxy.clients().served());
      assertEquals(1, proxy.clients().refused());
      one.send("GET / HTTP/1.1\r\n\r\n");
      two.send("GET / HTTP/1.1\r\n\r\n");
      assertEquals(400, one.read(false).status());
      assertEquals(400, two.read(false).status());
    }
  }
}
