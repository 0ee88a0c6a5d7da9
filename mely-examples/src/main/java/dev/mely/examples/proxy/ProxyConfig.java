package dev.mely.examples.proxy;

import dev.mely.examples.SecondsConverter;
import dev.mely.examples.SizeConverter;
import dev.mely.examples.service.RuntimeOptions;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * What a proxy is started with: the options of its command line, each with its default. Not
 * thread-safe; a proxy that has it does not change it.
 */
public final class ProxyConfig {
  private static final long MAX_CACHE = 1L << 40;

  @Option(
      names = "--bind",
      paramLabel = "ADDRESS",
      description =
          "The local address to listen on (default: 127.0.0.1). Whoever reaches it can use the"
              + " proxy to reach what this machine can.")
  private String bind = "127.0.0.1";

  @Option(
      names = "--port",
      paramLabel = "N",
      description = "The port to listen on; 0 for any free one (default: 3128).")
  private int port = 3128;

  @Mixin private RuntimeOptions runtime = new RuntimeOptions();

  @Option(
      names = "--cache-size",
      paramLabel = "SIZE",
      converter = SizeConverter.class,
      description =
          "How much memory the cache may take, as 64MiB; 0 for no cache (default: 64MiB, or a"
              + " quarter of the heap if that is less).")
  private long cacheSize = Math.min(64L << 20, Runtime.getRuntime().maxMemory() / 4);

  @Option(
      names = "--max-object",
      paramLabel = "SIZE",
      converter = SizeConverter.class,
      description =
          "How large a body may be to be kept (default: 1MiB; a 16th of the cache at most).")
  private long maxObject = 1L << 20;

  @Option(
      names = "--connect-timeout",
      paramLabel = "SECONDS",
      converter = SecondsConverter.class,
      description = "How long a name lookup and a connection may take together (default: 10).")
  private Duration connectTimeout = Duration.ofSeconds(10);

  @Option(
      names = "--response-timeout",
      paramLabel = "SECONDS",
      converter = SecondsConverter.class,
      description =
          "How long an origin may take to begin its response, and to go on with it (default: 60).")
  private Duration responseTimeout = Duration.ofSeconds(60);

  @Option(
      names = "--idle-timeout",
      paramLabel = "SECONDS",
      converter = SecondsConverter.class,
      description =
          "When to end a client's connection or a tunnel on which nothing moves (default: 60).")
  private Duration idleTimeout = Duration.ofSeconds(60);

  @Option(
      names = "--max-clients",
      paramLabel = "N",
      description = "How many connections to serve at a time; others are closed (default: 10000).")
  private int maxClients = 10_000;

  @Option(
      names = "--connect-ports",
      paramLabel = "N,N",
      split = ",",
      description = "To which ports CONNECT may go (default: 443).")
  private Set<Integer> connectPorts = Set.of(443);

  @Option(
      names = "--allow",
      paramLabel = "ADDRESS,RANGE",
      split = ",",
      description =
          "Addresses to connect to although they are denied by default, as 127.0.0.0/8,::1. Denied"
              + " are loopback, link-local, multicast, reserved addresses, and the metadata services"
              + " of clouds. Of two ranges that have an address the smaller one decides.")
  private List<String> allow = List.of();

  @Option(
      names = "--deny",
      paramLabel = "ADDRESS,RANGE",
      split = ",",
      description =
          "Further addresses not to connect to, as 10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,fc00::/7"
              + " (default: none).")
  private List<String> deny = List.of();

  /** Has the defaults. */
  public ProxyConfig() {}

  /** Throws an {@link IllegalArgumentException} if a value is out of range, and names it. */
  void check() {
    address();
    runtime.check(1);
    RuntimeOptions.check("max-clients", maxClients, 1, Integer.MAX_VALUE);
    RuntimeOptions.check("cache-size", cacheSize, 0, MAX_CACHE);
    RuntimeOptions.check("max-object", maxObject, 0, Integer.MAX_VALUE / 2);
    RuntimeOptions.check("connect timeout", connectTimeout, 1);
    RuntimeOptions.check("response timeout", responseTimeout, 1);
    RuntimeOptions.check("idle timeout", idleTimeout, 1);
    connectPorts.forEach(each -> RuntimeOptions.check("connect-ports", each, 1, 65_535));
    AddressRules.of(allow, deny);
  }

  InetSocketAddress address() {
    return RuntimeOptions.address(bind, port);
  }

  ProxyConfig port(int value) {
    port = value;
    return this;
  }

  RuntimeOptions runtime() {
    return runtime;
  }

  ProxyConfig maxClients(int value) {
    maxClients = value;
    return this;
  }

  int maxClients() {
    return maxClients;
  }

  /** How many bytes of responses are kept, about; 0: none. */
  long cacheSize() {
    return cacheSize;
  }

  /** How many bytes a body may have to be kept, and no more than a 16th of the cache. */
  long maxObject() {
    return maxObject;
  }

  ProxyConfig cache(long size, long object) {
    cacheSize = size;
    maxObject = object;
    return this;
  }

  Duration connectTimeout() {
    return connectTimeout;
  }

  Duration responseTimeout() {
    return responseTimeout;
  }

  Duration idleTimeout() {
    return idleTimeout;
  }

  ProxyConfig timeouts(Duration connect, Duration response, Duration idle) {
    connectTimeout = connect;
    responseTimeout = response;
    idleTimeout = idle;
    return this;
  }

  Set<Integer> connectPorts() {
    return connectPorts;
  }

  ProxyConfig connectPorts(Set<Integer> value) {
    connectPorts = value;
    return this;
  }

  List<String> allow() {
    return allow;
  }

  List<String> deny() {
    return deny;
  }

  /** Sets to which addresses it may connect, though they are denied by default, and may not. */
  ProxyConfig rules(List<String> allowed, List<String> denied) {
    allow = allowed;
    deny = denied;
    return this;
  }
}
