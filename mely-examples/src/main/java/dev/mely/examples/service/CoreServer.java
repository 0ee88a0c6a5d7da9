package dev.mely.examples.service;

import dev.mely.Handler;
import dev.mely.Mely;
import dev.mely.MelyBuilder;
import dev.mely.Statistics;
import dev.mely.stage.StageGraph;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.time.Duration;

/** A protocol on the selectors of {@code dev.mely.nio}. */
public final class CoreServer implements Server {
  private final ServiceConfig config;
  private final CoreListener listener;
  private final Protocol protocol;

  private CoreServer(ServiceConfig config, CoreListener listener) throws IOException {
    this.config = config;
    this.listener = listener;
    Mely mely = listener.nio().mely();
    protocol = config.protocol().apply(mely);
    if (!config.idleTimeout().isZero()) {
      Duration period = config.lookPeriod();
      mely.scheduleWithFixedDelay(
          mely.newColor(),
          Handler.named("Look", Clients::look),
          listener.clients(),
          period,
          period);
    }
    listener.accept(this::open);
  }

  /**
   * Starts a server.
   *
   * @param config what it does, and where
   * @return the server, accepting connections
   * @throws IOException if the port is taken; the message says which
   */
  public static CoreServer start(ServiceConfig config) throws IOException {
    return start(config, Mely.builder().pinned(true));
  }

  /**
   * Starts a server on a runtime with settings of one's own.
   *
   * @param config what it does, and where
   * @param runtime its cores, policy and error handler are replaced
   * @return the server, accepting connections
   * @throws IOException if the port is taken; the message says which
   */
  public static CoreServer start(ServiceConfig config, MelyBuilder runtime) throws IOException {
    config.check();
    return start(
        config,
        CoreListener.bind(config.address(), runtime, config.runtime(), config.maxClients()));
  }

  private static CoreServer start(ServiceConfig config, CoreListener listener) throws IOException {
    boolean started = false;
    try {
      CoreServer server = new CoreServer(config, listener);
      started = true;
      return server;
    } finally {
      if (!started) {
        listener.close();
      }
    }
  }

  private void open(SocketChannel channel) throws IOException {
    if (config.sendBuffer() > 0) {
      channel.setOption(StandardSocketOptions.SO_SNDBUF, config.sendBuffer());
    }
    new CoreConnection(listener.nio(), channel, listener.clients()).open(protocol);
  }

  @Override
  public InetSocketAddress address() {
    return listener.address();
  }

  @Override
  public String runsOn() {
    return "dev.mely.nio";
  }

  @Override
  public Clients clients() {
    return listener.clients();
  }

  @Override
  public Statistics statistics() {
    return listener.nio().mely().statistics();
  }

  @Override
  public StageGraph stages() {
    return listener.nio().mely().stages();
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
    listener.close();
  }
}
