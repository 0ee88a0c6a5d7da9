package dev.mely.examples.proxy;

import dev.mely.Mely;
import dev.mely.MelyBuilder;
import dev.mely.Statistics;
import dev.mely.examples.service.Clients;
import dev.mely.examples.service.CoreListener;
import dev.mely.examples.service.Running;
import dev.mely.nio.Nio;
import dev.mely.stage.StageGraph;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * A caching forward proxy for HTTP/1.1 on {@code dev.mely.nio}: GET, HEAD and CONNECT. Thread-safe.
 */
public final class ProxyServer implements Running {
  private final ProxyConfig config;
  private final CoreListener listener;
  private final LongSupplier clock;
  private final Cache cache;
  private final AddressRules addresses;
  private final Lookups lookups;
  private final LongAdder requests = new LongAdder();

  /** By which it knows itself when a request comes round to it. */
  private final String name = String.format(Locale.ROOT, "mely-%08x", new SecureRandom().nextInt());

  private ProxyServer(
      ProxyConfig config, CoreListener listener, LongSupplier clock, Lookups lookups)
      throws IOException {
    this.config = config;
    this.listener = listener;
    this.clock = clock;
    this.lookups = lookups;
    addresses = AddressRules.of(config.allow(), config.deny());
    cache = new Cache(nio().mely(), config.cacheSize(), config.maxObject());
    listener.accept(channel -> new ProxyConnection(this, channel).open());
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
    CoreListener listener =
        CoreListener.bind(config.address(), runtime, config.runtime(), config.maxClients());
    Lookups lookups = null;
    boolean started = false;
    try {
      lookups = new Lookups(names, System::nanoTime);
      ProxyServer server = new ProxyServer(config, listener, clock, lookups);
      started = true;
      return server;
    } finally {
      if (!started) {
        listener.close();
        if (lookups != null) {
          lookups.close();
        }
      }
    }
  }

  private static long systemSeconds() {
    return System.currentTimeMillis() / 1000;
  }

  // ---- For the connections

  Nio nio() {
    return listener.nio();
  }

  ProxyConfig config() {
    return config;
  }

  Cache cache() {
    return cache;
  }

  AddressRules addresses() {
    return addresses;
  }

  Lookups lookups() {
    return lookups;
  }

  Clients clients() {
    return listener.clients();
  }

  String name() {
    return name;
  }

  long nowSeconds() {
    return clock.getAsLong();
  }

  void countRequest() {
    requests.increment();
  }

  // ---- For whoever has started it

  @Override
  public InetSocketAddress address() {
    return listener.address();
  }

  /**
   * Returns how many requests were taken.
   *
   * @return without those that were refused as malformed
   */
  public long requests() {
    return requests.sum();
  }

  /**
   * Returns how many connections of clients were served.
   *
   * @return open ones included
   */
  public long served() {
    return clients().served();
  }

  /**
   * Returns how many connections of clients were closed at once.
   *
   * @return those beyond the limit
   */
  public long turnedAway() {
    return clients().refused();
  }

  @Override
  public StageGraph stages() {
    return nio().mely().stages();
  }

  /**
   * Returns what the cores have done so far.
   *
   * @return a snapshot
   */
  public Statistics statistics() {
    return nio().mely().statistics();
  }

  @Override
  public void awaitClose() throws InterruptedException {
    listener.awaitClose();
  }

  @Override
  public Duration longestClose() {
    return listener.longestClose();
  }

  @Override
  public void close() {
    try {
      listener.close();
    } finally {
      lookups.close();
    }
  }
}
