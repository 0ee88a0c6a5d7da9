package dev.mely.examples.proxy;

import dev.mely.Mely;
import dev.mely.MelyBuilder;
import dev.mely.examples.service.CoreListener;
import java.io.IOException;
import java.net.InetAddress;
import java.security.SecureRandom;
import java.util.Locale;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * A caching forward proxy for HTTP/1.1 on {@code dev.mely.nio}: GET, HEAD and CONNECT. Thread-safe.
 */
public final class ProxyServer extends CoreListener {
  final ProxyConfig config;
  private final LongSupplier clock;
  final Cache cache;
  final AddressRules addresses;
  final Lookups lookups;
  final LongAdder requests = new LongAdder();

  /** Its name in Via, by which it detects a loop. */
  final String name;

  private ProxyServer(
      ProxyConfig config, MelyBuilder runtime, LongSupplier clock, Lookups.Resolver names)
      throws IOException {
    super(config, runtime);
    this.config = config;
    this.clock = clock;
    try {
      name = String.format(Locale.ROOT, "mely-%08x", new SecureRandom().nextInt());
      addresses = AddressRules.of(config.allow, config.deny);
      cache = new Cache(nio().mely(), config.cacheSize, config.maxObject);
      lookups = new Lookups(names, System::nanoTime);
    } catch (Throwable t) {
      super.close(); // the caller has no reference to close
      throw t;
    }
  }

  /**
   * Starts a proxy.
   *
   * @param config its configuration
   * @return the proxy, accepting connections
   * @throws IOException if the port is taken; the message says which
   */
  public static ProxyServer start(ProxyConfig config) throws IOException {
    return start(config, Mely.builder().pinned(true));
  }

  /** As above, with another clock, in seconds since the epoch. */
  static ProxyServer start(ProxyConfig config, LongSupplier clock) throws IOException {
    return start(config, Mely.builder().pinned(true), clock, InetAddress::getAllByName);
  }

  /** As above, on a runtime with other settings. */
  static ProxyServer start(ProxyConfig config, MelyBuilder runtime) throws IOException {
    return start(config, runtime, ProxyServer::systemSeconds, InetAddress::getAllByName);
  }

  /** As above, with another resolver. */
  static ProxyServer start(ProxyConfig config, Lookups.Resolver names) throws IOException {
    return start(config, Mely.builder(), ProxyServer::systemSeconds, names);
  }

  private static ProxyServer start(
      ProxyConfig config, MelyBuilder runtime, LongSupplier clock, Lookups.Resolver names)
      throws IOException {
    config.check();
    ProxyServer server = new ProxyServer(config, runtime, clock, names);
    server.begin();
    return server;
  }

  private static long systemSeconds() {
    return System.currentTimeMillis() / 1000;
  }

  @Override
  protected Opener opener() {
    return channel -> new ProxyConnection(this, channel).open();
  }

  /** The cache's time: seconds since the epoch. */
  long nowSeconds() {
    return clock.getAsLong();
  }

  /**
   * Returns how many requests were accepted.
   *
   * @return without malformed ones
   */
  public long requests() {
    return requests.sum();
  }

  @Override
  public void close() {
    try {
      super.close();
    } finally {
      lookups.close();
    }
  }
}
