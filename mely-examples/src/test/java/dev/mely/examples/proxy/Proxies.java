package dev.mely.examples.proxy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/** What tests run: two cores, any port, and more time than anything should need. */
final class Proxies {
  private static final Duration LONG = Duration.ofSeconds(120);

  private Proxies() {}

  /** Holds a port without listening on it, so that no other program can. */
  static Socket deaf() throws IOException {
    Socket socket = new Socket();
    socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    return socket;
  }

  /** Waits for what will come about, on a machine that is busy with something else. */
  static ConditionFactory patiently() {
    return Awaitility.await().atMost(LONG);
  }

  static ProxyConfig patient() {
    return new ProxyConfig()
        .port(0)
        .cores(2)
        .cache(16 << 20, 512 << 10)
        .timeouts(LONG, LONG, LONG)
        .rules(List.of("127.0.0.0/8", "::1"), List.of());
  }

  /** The same with time limits in milliseconds. */
  static ProxyConfig impatient(long connect, long respond, long idle) {
    return patient()
        .timeouts(Duration.ofMillis(connect), Duration.ofMillis(respond), Duration.ofMillis(idle));
  }

  /** The same with another cache. */
  static ProxyConfig caching(long size, long object) {
    return patient().cache(size, object);
  }

  /** The same with ports for CONNECT. */
  static ProxyConfig tunneling(Integer... ports) {
    return patient().connectPorts(Set.of(ports));
  }

  /** The same with other rules for addresses. */
  static ProxyConfig ruled(List<String> allow, List<String> deny, Integer... ports) {
    return tunneling(ports).rules(allow, deny);
  }
}
