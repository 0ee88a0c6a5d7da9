package dev.mely.examples.proxy;

import dev.mely.StealPolicy;
import dev.mely.topology.AllowedCpus;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * What a proxy is started with.
 *
 * @param address where to listen; port 0: any free one
 * @param cores how many, 1 or more
 * @param policy which heuristics idle cores steal by
 * @param maxClients how many connections of clients there may be; others are closed at once
 * @param cacheSize how many bytes of responses are kept, about; 0: none
 * @param maxObject how many bytes a body may have to be kept, and no more than a 16th of the cache
 * @param connectTimeout how long a name lookup and a connection to an origin may take together
 * @param responseTimeout how long an origin may take to begin its response, and to go on with it
 * @param idleTimeout how long a client may ask nothing, or take nothing, and a tunnel be silent
 * @param drainTimeout how long connections may take to end when the proxy stops
 * @param connectPorts to which ports CONNECT may go
 * @param allow addresses and subnets to which it may connect, also if they are denied by default:
 *     loopback, link-local, multicast and the like
 * @param deny those to which it may not; of two that have an address the smaller one decides
 */
public record ProxyConfig(
    InetSocketAddress address,
    int cores,
    StealPolicy policy,
    int maxClients,
    long cacheSize,
    long maxObject,
    Duration connectTimeout,
    Duration responseTimeout,
    Duration idleTimeout,
    Duration drainTimeout,
    Set<Integer> connectPorts,
    List<String> allow,
    List<String> deny) {
  /** Where proxies listen, by custom. */
  static final int USUAL_PORT = 3128;

  private static final long MAX_CACHE = 1L << 40;

  /**
   * Checks the values.
   *
   * @throws IllegalArgumentException if one is out of range; the message names it
   */
  public ProxyConfig {
    connectPorts = Set.copyOf(connectPorts);
    allow = List.copyOf(allow);
    deny = List.copyOf(deny);
    check("cores", cores, 1, 1024);
    check("max-clients", maxClients, 1, Integer.MAX_VALUE);
    check("cache-size", cacheSize, 0, MAX_CACHE);
    check("max-object", maxObject, 0, Integer.MAX_VALUE / 2);
    check("connect timeout in ms", connectTimeout.toMillis(), 1, Integer.MAX_VALUE);
    check("response timeout in ms", responseTimeout.toMillis(), 1, Integer.MAX_VALUE);
    check("idle timeout in ms", idleTimeout.toMillis(), 1, Integer.MAX_VALUE);
    check("drain timeout in ms", drainTimeout.toMillis(), 0, Integer.MAX_VALUE);
    connectPorts.forEach(port -> check("connect-ports", port, 1, 65_535));
    AddressRules.of(allow, deny);
  }

  /**
   * The defaults: every processor, a cache of 64 MiB or a quarter of the heap, on loopback.
   *
   * @return a configuration for any free port
   */
  public static ProxyConfig usual() {
    return new ProxyConfig(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
        AllowedCpus.system().recommendedWorkers(),
        StealPolicy.ALL,
        10_000,
        Math.min(64L << 20, Runtime.getRuntime().maxMemory() / 4),
        1L << 20,
        Duration.ofSeconds(10),
        Duration.ofSeconds(60),
        Duration.ofSeconds(60),
        Duration.ofSeconds(10),
        Set.of(443),
        List.of(),
        List.of());
  }

  private static void check(String name, long value, long min, long max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(
          name + " must be " + min + " to " + max + ", but is " + value);
    }
  }
}
