package dev.mely.examples.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.Socket;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is passed on, in both directions, and what the proxy answers by itself. */
@Timeout(300)
class ForwardingTest {
  private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n";

  @Test
  void aRequestIsPassedOnWithoutWhatBelongsToTheConnection() throws Exception {
    try (WildOrigin origin =
            WildOrigin.saying(
                OK
                    + "Connection: x-named, close\r\nX-Named: 1\r\nKeep-Alive: timeout=5\r\n"
                    + "Proxy-Authenticate: Basic\r\nX-Other: 2\r\nVia: 1.0 before\r\n\r\nhello");
        ProxyServer proxy = ProxyServer.start(Proxies.patient());
        HttpClient client = new HttpClient(proxy.address())) {
      HttpClient.Reply reply =
          client.get(
              "http://" + origin.authority() + "/a?b=c",
              "Connection: keep-alive, X-Hop",
              "X-Hop: 1",
              "Keep-Alive: 300",
              "Proxy-Connection: keep-alive",
              "Proxy-Authorization: Basic c2VjcmV0",
              "TE: trailers",
              "Upgrade: h2c",
              "Expect: 100-continue",
              "Via: 1.1 before",
              "X-End: 2",
              "Content-Length: 0");
      assertEquals(200, reply.status());
      assertEquals("hello", reply.text());
      WildOrigin.Asked asked = origin.log()[0];
      assertEquals("GET /a?b=c HTTP/1.1", asked.line());
      assertEquals(origin.authority(), asked.field("host"), "not what the client's Host says");
      assertEquals("close", asked.field("connection"));
      assertEquals("2", asked.field("x-end"));
      assertEquals("1.1 before, 1.1 " + proxy.name, asked.field("via"));
      for (String hop :
          new String[] {
            "x-hop",
            "keep-alive",
            "proxy-connection",
            "proxy-authorization",
            "te",
            "upgrade",
            "expect",
            "content-length",
            "transfer-encoding"
          }) {
        assertNull(asked.field(hop), hop);
      }
      assertEquals("2", reply.field("x-other"));
      assertEquals("1.0 before, 1.1 " + proxy.name, reply.field("via"));
      assertTrue(reply.fields().containsKey("date"), "added where the origin has none");
      for (String hop :
          new String[] {"x-named", "keep-alive", "proxy-authenticate", "connection"}) {
        assertFalse(reply.fields().containsKey(hop), hop);
      }
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      value = {
        "POST http://h/ HTTP/1.1|Host: h|501",
        "OPTIONS * HTTP/1.1|Host: h|501",
        "GET /path HTTP/1.1|Host: h|400",
        "GET https://h/ HTTP/1.1|Host: h|400",
        "GET http:///path HTTP/1.1|Host: h|400",
        "GET http://u@h/ HTTP/1.1|Host: h|400",
        "GET http://h:0/ HTTP/1.1|Host: h|400",
        "GET http://h:65536/ HTTP/1.1|Host: h|400",
        "GET http://h%2e/ HTTP/1.1|Host: h|400",
        "GET http://h/#f HTTP/1.1|Host: h|400",
        "GET http://[::1 HTTP/1.1|Host: h|400",
        "GET http://h/ HTTP/1.1|-|400",
        "GET http://h/ HTTP/1.1|Host: h;Host: h|400",
        "GET http://h/ HTTP/1.1|Host: a b|400",
        "GET http://h/ HTTP/2.0|Host: h|505",
        "GET  http://h/ HTTP/1.1|Host: h|400",
        "get|Host: h|400",
        "GET http://h/ HTTP/1.1|Host: h;Content-Length: 3|413",
        "GET http://h/ HTTP/1.1|Host: h;Content-Length: 3;Content-Length: 3|400",
        "GET http://h/ HTTP/1.1|Host: h;Content-Length: 3, 3|400",
        "GET http://h/ HTTP/1.1|Host: h;Content-Length: +3|400",
        "GET http://h/ HTTP/1.1|Host: h;Content-Length: -1|400",
        "GET http://h/ HTTP/1.1|Host: h;Transfer-Encoding: chunked|413",
        "GET http://h/ HTTP/1.1|Host: h;Transfer-Encoding: gzip, chunked|501",
        "GET http://h/ HTTP/1.1|Host: h;Transfer-Encoding: chunked;Content-Length: 0|400",
        "GET http://h/ HTTP/1.0|Host: h;Transfer-Encoding: chunked|400",
        "GET http://h/ HTTP/1.1|Host: h; folded: no|400",
        "GET http://h/ HTTP/1.1|Host: h;Space : before|400",
        "GET http://h/ HTTP/1.1|Host: h;: nameless|400",
        "GET http://h/ HTTP/1.1|Host: h;Expect: miracles|417",
        "CONNECT h:80 HTTP/1.1|Host: h|403",
        "CONNECT h HTTP/1.1|Host: h|400",
        "CONNECT http://h:443/ HTTP/1.1|Host: h|400",
        "CONNECT h:443 HTTP/1.1|Host: h;Content-Length: 1|413"
      })
  void whatCannotBePassedOnIsRefused(String line, String fields, int status) throws Exception {
    try (ProxyServer proxy = ProxyServer.start(Proxies.patient());
        HttpClient client = new HttpClient(proxy.address())) {
      String header = fields == null ? "" : fields.replace(";", "\r\n") + "\r\n";
      client.send(line + "\r\n" + header + "\r\nGET http://h/smuggled HTTP/1.1\r\nHost: h\r\n\r\n");
      HttpClient.Reply reply = client.read(false);
      assertEquals(status, reply.status(), reply.text());
      assertEquals("close", reply.field("connection"));
      assertTrue(client.isEnded(), "what stands behind it is not looked at");
      assertEquals(0, proxy.requests() - (status == 403 ? 1 : 0));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET http://h/ HTTP/1.1\nHost: h\n\n",
        "GET http://h/ HTTP/1.1\r\nHost: h\r\nX: a\rb\r\n\r\n",
        "GET http://h/ HTTP/1.1\r\nA: \0\r\n",
        "GET http://h/ HTTP/1.1 \r\nHost: h\r\n\r\n",
        "GET\thttp://h/ HTTP/1.1\r\nHost: h\r\n\r\n"
      })
  void bareLineEndsAndStrayBlanksAreRefused(String text) throws Exception {
    try (ProxyServer proxy = ProxyServer.start(Proxies.patient());
        HttpClient client = new HttpClient(proxy.address())) {
      assertEquals(400, client.send(text).read(false).status());
    }
  }

  @Test
  void whatIsTooLongIsRefused() throws Exception {
    try (ProxyServer proxy = ProxyServer.start(Proxies.patient())) {
      try (HttpClient client = new HttpClient(proxy.address())) {
        client.send("GET http://h/" + "x".repeat(9_000) + " HTTP/1.1\r\nHost: h\r\n\r\n");
        assertEquals(414, client.read(false).status());
      }
      try (HttpClient client = new HttpClient(proxy.address())) {
        client.send("GET http://h/ HTTP/1.1\r\nHost: h\r\nX: " + "x".repeat(20_000) + "\r\n\r\n");
        assertEquals(431, client.read(false).status());
      }
    }
  }

  @Test
  void requestsOfOneConnectionAreAnsweredInTurn() throws Exception {
    try (WildOrigin origin = echo();
        ProxyServer proxy = ProxyServer.start(Proxies.patient());
        HttpClient client = new HttpClient(proxy.address())) {
      StringBuilder all = new StringBuilder();
      for (int i = 0; i < 20; i++) {
        all.append("GET http://" + origin.authority() + "/" + i + " HTTP/1.1\r\nHost: h\r\n\r\n");
      }
      client.send(all.toString());
      for (int i = 0; i < 20; i++) {
        assertEquals("/" + i, client.read(false).text());
      }
      HttpClient.Reply last =
          client.get("http://" + origin.authority() + "/last", "Connection: close");
      assertEquals("/last", last.text());
      assertEquals("close", last.field("connection"));
      assertTrue(client.isEnded());
    }
  }

  @Test
  void aClientMayEndItsOutputBehindItsRequest() throws Exception {
    try (WildOrigin origin = echo();
        ProxyServer proxy = ProxyServer.start(Proxies.patient());
        HttpClient client = new HttpClient(proxy.address())) {
      client.send("GET http://" + origin.authority() + "/half HTTP/1.1\r\nHost: h\r\n\r\n");
      client.socket.shutdownOutput();
      assertEquals("/half", client.read(false).text());
      assertTrue(client.isEnded());
    }
  }

  @Test
  void http10IsAnsweredWithoutChunksAndClosed() throws Exception {
    try (WildOrigin origin =
            WildOrigin.saying(
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n");
        ProxyServer proxy = ProxyServer.start(Proxies.patient());
        HttpClient client = new HttpClient(proxy.address())) {
      client.send(
          "GET http://" + origin.authority() + "/ HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
      HttpClient.Reply reply = client.read(false);
      assertFalse(reply.fields().containsKey("transfer-encoding"));
      assertEquals("abc", reply.text());
      assertEquals("close", reply.field("connection"));
      assertEquals("1.0 " + proxy.name, origin.log()[0].field("via"));
    }
  }

  @Test
  void headHasTheHeaderAlone() throws Exception {
    try (WildOrigin origin = WildOrigin.saying(OK + "\r\n");
        ProxyServer proxy = ProxyServer.start(Proxies.patient());
        HttpClient client = new HttpClient(proxy.address())) {
      for (int i = 0; i < 3; i++) {
        HttpClient.Reply reply = client.ask("HEAD", "http://" + origin.authority() + "/");
        assertEquals(200, reply.status());
        assertEquals("5", reply.field("content-length"));
      }
      assertEquals("HEAD / HTTP/1.1", origin.log()[2].line());
    }
  }

  /** RFC 9110, section 15.2: but not to those who could not understand them. */
  @Test
  void interimResponsesArePassedOn() throws Exception {
    try (WildOrigin origin =
            WildOrigin.saying(
                "HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n"
                    + OK
                    + "\r\nhello");
        ProxyServer proxy = ProxyServer.start(Proxies.patient());
        HttpClient client = new HttpClient(proxy.address());
        HttpClient old = new HttpClient(proxy.address())) {
      client.send("GET http://" + origin.authority() + "/ HTTP/1.1\r\nHost: h\r\n\r\n");
      assertEquals("<a>", client.readOne(false).field("link"));
      assertEquals(100, client.readOne(false).status());
      assertEquals("hello", client.readOne(false).text());
      old.send("GET http://" + origin.authority() + "/ HTTP/1.0\r\n\r\n");
      assertEquals(200, old.readOne(false).status());
    }
  }

  @Test
  void aLoopIsStopped() throws Exception {
    try (ProxyServer proxy = ProxyServer.start(Proxies.patient());
        HttpClient client = new HttpClient(proxy.address())) {
      String self = "http://127.0.0.1:" + proxy.address().getPort() + "/";
      assertEquals(508, client.get(self).status());
      assertEquals(1, proxy.requests(), "the one that came round was not taken");
    }
  }

  @Test
  void hostsThatDoNotExistOrRefuseAre502() throws Exception {
    try (Socket deaf = Proxies.deaf();
        ProxyServer proxy = ProxyServer.start(Proxies.tunneling(deaf.getLocalPort()));
        HttpClient client = new HttpClient(proxy.address())) {
      int closed = deaf.getLocalPort();
      HttpClient.Reply refused = client.get("http://127.0.0.1:" + closed + "/");
      assertEquals(502, refused.status());
      assertTrue(refused.text().contains("refused"), refused.text());
      assertEquals(502, client.get("http://no.such.host.invalid/").status());
      client.send("CONNECT 127.0.0.1:" + closed + " HTTP/1.1\r\nHost: h\r\n\r\n");
      assertEquals(502, client.read(false).status());
    }
  }

  @Test
  void whatIsUnderWayIsFinishedWhenTheProxyStops() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    try (WildOrigin origin =
            new WildOrigin(
                (request, socket) -> {
                  asked.countDown();
                  go.await();
                  WildOrigin.send(socket, OK + "\r\nhello");
                });
        HttpClient client = new HttpClient(start());
        HttpClient idle = new HttpClient(running.address())) {
      idle.send("GET http://" + "127.0.0.1:1/ HTTP/1.1\r\nHost: h\r\n\r\n");
      assertEquals(502, idle.read(false).status());
      client.send("GET http://" + origin.authority() + "/ HTTP/1.1\r\nHost: h\r\n\r\n");
      asked.await();
      Thread stop = new Thread(running::close);
      stop.start();
      assertTrue(idle.isEnded());
      go.countDown();
      HttpClient.Reply reply = client.read(false);
      assertEquals("hello", reply.text());
      assertEquals("close", reply.field("connection"));
      stop.join();
    }
  }

  private ProxyServer running;

  private java.net.InetSocketAddress start() throws IOException {
    running = ProxyServer.start(Proxies.patient());
    return running.address();
  }

  private static WildOrigin echo() throws IOException {
    return new WildOrigin(
        (asked, socket) ->
            WildOrigin.send(
                socket,
                "HTTP/1.1 200 OK\r\nContent-Length: "
                    + asked.path().length()
                    + "\r\n\r\n"
                    + asked.path()));
  }
}
