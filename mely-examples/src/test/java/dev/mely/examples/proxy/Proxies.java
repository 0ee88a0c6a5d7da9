package dev.mely.examples.proxy;

import dev.mely.StealPolicy;
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
  static final ProxyConfig PATIENT =
      new ProxyConfig(
          new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
          2,
          StealPolicy.ALL,
          10_000,
          16L << 20,
          512 << 10,
          Duration.ofSeconds(120),
          Duration.ofSeconds(120),
          Duration.ofSeconds(120),
          Duration.ofSeconds(10),
          Set.of(443),
          List.of("127.0.0.0/8", "::1"),
          List.of());

  private Proxies() {}

  /** Holds a port at which nobody listens: nobody else can, either. */
  static Socket deaf() throws IOException {
    Socket socket = new Socket();
    socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    return socket;
  }

  /** Waits for what will come about, on a machine that is busy with something else. */
  static ConditionFactory patiently() {
    return Awaitility.await().atMost(Duration.ofSeconds(120));
  }

  /** The same with time limits in milliseconds. */
  static ProxyConfig impatient(long connect, long respond, long idle) {
    return new ProxyConfig(
        PATIENT.address(),
        PATIENT.cores(),
        PATIENT.policy(),
        PATIENT.maxClients(),
        PATIENT.cacheSize(),
        PATIENT.maxObject(),
        Duration.ofMillis(connect),
        Duration.ofMillis(respond),
        Duration.ofMillis(idle),
        PATIENT.drainTimeout(),
        PATIENT.connectPorts(),
        PATIENT.allow(),
        PATIENT.deny());
  }

  /** The same with another cache. */
  static ProxyConfig caching(long size, long object) {
    return new ProxyConfig(
        PATIENT.address(),
        PATIENT.cores(),
        PATIENT.policy(),
        PATIENT.maxClients(),
        size,
        object,
        PATIENT.connectTimeout(),
        PATIENT.responseTimeout(),
        PATIENT.idleTimeout(),
        PATIENT.drainTimeout(),
        PATIENT.connectPorts(),
        PATIENT.allow(),
        PATIENT.deny());
  }

  /** The same with ports for CONNECT. */
  static ProxyConfig tunneling(Integer... ports) {
    return new ProxyConfig(
        PATIENT.address(),
        PATIENT.cores(),
        PATIENT.policy(),
        PATIENT.maxClients(),
        PATIENT.cacheSize(),
        PATIENT.maxObject(),
        PATIENT.connectTimeout(),
        PATIENT.responseTimeout(),
        PATIENT.idleTimeout(),
        PATIENT.drainTimeout(),
        Set.of(ports),
        PATIENT.allow(),
        PATIENT.deny());
  }

  /** The same with other rules for addresses. */
  static ProxyConfig ruled(List<String> allow, List<String> deny, Integer... ports) {
    ProxyConfig same = tunneling(ports);
    return new ProxyConfig(
        same.address(),
        same.cores(),
        same.policy(),
        same.maxClients(),
        same.cacheSize(),
        same.maxObject(),
        same.connectTimeout(),
        same.responseTimeout(),
        same.idleTimeout(),
        same.drainTimeout(),
        same.connectPorts(),
        allow,
        deny);
  }
}
