package dev.mely.examples.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The proxy does not connect to a denied address, in any notation and by any name. */
@Timeout(300)
class DeniedAddressesTest {
  private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";

  private static InetAddress[] addresses(String... texts) throws Exception {
    InetAddress[] addresses = new InetAddress[texts.length];
    for (int i = 0; i < texts.length; i++) {
      addresses[i] = InetAddress.getByName(texts[i]);
    }
    return addresses;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "127.0.0.1",
        "127.0.0.2",
        "localhost",
        "LOCALHOST",
        "0.0.0.0",
        "[::1]",
        "[0:0:0:0:0:0:0:1]",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[::127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "[2002:7f00:1::]",
        "[fe80::1]",
        "[ff02::1]",
        "169.254.169.254",
        "224.0.0.1",
        "255.255.255.255"
      })
  void addressesAndNamesOfDeniedOnesAre403(String host) throws Exception {
    refused(host, "does not connect to the address");
  }

  /** What some take for an address in a form of old, and some do not. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "127.1",
        "127.0.1",
        "2130706433",
        "0x7f000001",
        "0X7F.0.0.1",
        "0177.0.0.1",
        "127.0.0.1.",
        "127.0.0.0x1",
        "127.0.0.256",
        "1.2.3.4.5",
        "0"
      })
  void oddFormsOfAddressesAre403(String host) throws Exception {
    refused(host, "must be written as four numbers");
  }

  private static void refused(String host, String why) throws Exception {
    try (WildOrigin origin = WildOrigin.saying(OK);
        ProxyServer proxy =
            ProxyServer.start(Proxies.ruled(List.of(), List.of(), origin.address().getPort()))) {
      String authority = host + ":" + origin.address().getPort();
      for (String request : List.of("GET http://" + authority + "/", "CONNECT " + authority)) {
        try (HttpClient client = new HttpClient(proxy.address())) {
          client.send(request + " HTTP/1.1\r\nHost: h\r\n\r\n");
          HttpClient.Reply reply = client.read(false);
          assertEquals(403, reply.status(), reply.text());
          assertTrue(reply.text().contains(why), reply.text());
        }
      }
      assertEquals(0, origin.requests());
    }
  }

  /** No zone: it would name a network of the proxy's machine. */
  @ParameterizedTest
  @ValueSource(
      strings = {"[fe80::1%lo]", "[fe80::1%25lo]", "[cafe]", "[1:2]", "[127.0.0.1]", "[::g]"})
  void whatIsNoAddressIs400(String host) throws Exception {
    try (ProxyServer proxy = ProxyServer.start(Proxies.patient());
        HttpClient client = new HttpClient(proxy.address())) {
      client.send("GET http://" + host + "/ HTTP/1.1\r\nHost: h\r\n\r\n");
      assertEquals(400, client.read(false).status());
    }
  }

  /** A name may have both kinds, and another answer the next time: what is checked is dialed. */
  @Test
  void eachAddressIsCheckedAndNoNameIsLookedUpTwice() throws Exception {
    AtomicInteger asked = new AtomicInteger();
    try (WildOrigin origin = WildOrigin.saying(OK);
        ProxyServer proxy =
            ProxyServer.start(
                Proxies.ruled(List.of("127.0.0.1"), List.of()),
                host ->
                    switch (host) {
                      case "mixed.example" -> addresses("127.0.0.9", "169.254.0.1", "127.0.0.1");
                      case "rebound.example" ->
                          addresses(asked.incrementAndGet() == 1 ? "127.0.0.1" : "127.0.0.9");
                      default -> addresses("127.0.0.9", "fe80::1");
                    });
        HttpClient client = new HttpClient(proxy.address())) {
      String port = ":" + origin.address().getPort() + "/";
      assertEquals("hello", client.get("http://mixed.example" + port).text());
      assertEquals("hello", client.get("http://rebound.example" + port).text());
      assertEquals(1, asked.get());
      HttpClient.Reply denied = client.get("http://inside.example" + port);
      assertEquals(403, denied.status());
      assertTrue(denied.text().contains("inside.example"), denied.text());
      assertTrue(denied.isOpen(), "the next request may be right");
      assertEquals("hello", client.get("http://127.0.0.1" + port).text());
      assertEquals("hello", client.get("http://[::ffff:127.0.0.1]" + port).text());
    }
  }

  @Test
  void whatIsDeniedByTheUserIs403() throws Exception {
    try (WildOrigin origin = WildOrigin.saying(OK);
        ProxyServer proxy =
            ProxyServer.start(Proxies.ruled(List.of("127.0.0.0/8"), List.of("127.0.0.1")));
        HttpClient client = new HttpClient(proxy.address())) {
      assertEquals(403, client.get("http://" + origin.authority() + "/").status());
    }
  }
}
