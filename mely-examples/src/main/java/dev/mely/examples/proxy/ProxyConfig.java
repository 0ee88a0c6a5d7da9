package dev.mely.examples.proxy;

import dev.mely.examples.SecondsConverter;
import dev.mely.examples.SizeConverter;
import dev.mely.examples.service.ServerOptions;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Option;

/**
 * Configuration of a proxy: the options of its command line with their defaults. Connections above
 * the maximum are closed at once.
 */
public final class ProxyConfig extends ServerOptions<ProxyConfig> {
  private static final long MAX_CACHE = 1L << 40;

  @Option(
      names = "--cache-size",
      paramLabel = "SIZE",
      converter = SizeConverter.class,
      description =
          "How much memory the cache may take, such as 64MiB; 0 for no cache (default: 64MiB, or a"
              + " quarter of the heap if that is less).")
  long cacheSize = Math.min(64L << 20, Runtime.getRuntime().maxMemory() / 4);

  @Option(
      names = "--max-object",
      paramLabel = "SIZE",
      converter = SizeConverter.class,
      description = "The largest body to cache (default: 1MiB; at most a 16th of the cache).")
  long maxObject = 1L << 20;

  @Option(
      names = "--connect-timeout",
      paramLabel = "SECONDS",
      converter = SecondsConverter.class,
      description = "How long a name lookup and a connection may take together (default: 10).")
  Duration connectTimeout = Duration.ofSeconds(10);

  @Option(
      names = "--response-timeout",
      paramLabel = "SECONDS",
      converter = SecondsConverter.class,
      description =
          "How long an origin may take to start its response, and to continue it (default: 60).")
  Duration responseTimeout = Duration.ofSeconds(60);

  @Option(
      names = "--connect-ports",
      paramLabel = "N,N",
      split = ",",
      description = "Allowed ports of CONNECT (default: 443).")
  Set<Integer> connectPorts = Set.of(443);

  @Option(
      names = "--allow",
      paramLabel = "ADDRESS,RANGE",
      split = ",",
      description =
          "Addresses to connect to although they are denied by default, such as 127.0.0.0/8,::1."
              + " Denied are loopback, link-local, multicast, reserved addresses, and the"
              + " metadata services of clouds. If several ranges contain an address, the smallest"
              + " decides.")
  List<String> allow = List.of();

  @Option(
      names = "--deny",
      paramLabel = "ADDRESS,RANGE",
      split = ",",
      description =
          "Further denied addresses, such as 10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,fc00::/7"
              + " (default: none).")
  List<String> deny = List.of();

  /** Sets the defaults. */
  public ProxyConfig() {
    super(3128, 10_000, 60);
  }

  /** Throws an {@link IllegalArgumentException} if a value is out of range, and names it. */
  void check() {
    check(1, Integer.MAX_VALUE, 1);
    check("cache-size", cacheSize, 0, MAX_CACHE);
    check("max-object", maxObject, 0, Integer.MAX_VALUE / 2);
    check("connect timeout", connectTimeout, 1);
    check("response timeout", responseTimeout, 1);
    connectPorts.forEach(each -> check("connect-ports", each, 1, 65_535));
    AddressRules.of(allow, deny);
  }

  ProxyConfig cache(long size, long object) {
    cacheSize = size;
    maxObject = object;
    return this;
  }

  ProxyConfig timeouts(Duration connect, Duration response, Duration idle) {
    connectTimeout = connect;
    responseTimeout = response;
    return idleTimeout(idle);
  }

  ProxyConfig connectPorts(Set<Integer> value) {
    connectPorts = value;
    return this;
  }

  /** Sets additionally allowed and denied addresses. */
  ProxyConfig rules(List<String> allowed, List<String> denied) {
    allow = allowed;
    deny = denied;
    return this;
  }
}
