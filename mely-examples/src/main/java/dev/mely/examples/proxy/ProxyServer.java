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

  /** By which it knows itself when a request comes round to it. */
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
      super.close(); // nobody else could
      throw t;
    }
  }

  /**
   * Starts a proxy.
   *
   * @param config how, and where
   * @return the proxy, accepting connections
   * @throws IOException if the port is taken; the message says which
   */
  public static ProxyServer start(ProxyConfig config) throws IOException {
    return start(config, Mely.builder().pinned(true));
  }

  /** The same by another clock, which says the seconds since the epoch. */
  static ProxyServer start(ProxyConfig config, LongSupplier clock) throws IOException {
    return start(config, Mely.builder().pinned(true), clock, InetAddress::getAllByName);
  }

  /** The same on a runtime with settings of one's own. */
  static ProxyServer start(ProxyConfig config, MelyBuilder runtime) throws IOException {
    return start(config, runtime, ProxyServer::systemSeconds, InetAddress::getAllByName);
  }

  /** The same with names of one's own. */
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

  /** The time for the cache: seconds since the epoch. */
  long nowSeconds() {
    return clock.getAsLong();
  }

  /**
   * Returns how many requests were taken.
   *
   * @return without those that were refused as malformed
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
