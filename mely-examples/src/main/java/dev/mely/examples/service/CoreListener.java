package dev.mely.examples.service;

import dev.mely.Color;
import dev.mely.Handler;
import dev.mely.MelyBuilder;
import dev.mely.nio.Nio;
import dev.mely.report.Statistics;
import dev.mely.stage.StageGraph;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A server on {@code dev.mely.nio}: a server socket, a runtime of its own, and the connections that
 * have been accepted. Thread-safe.
 */
public abstract class CoreListener implements Server {
  private static final Logger LOG = LoggerFactory.getLogger(CoreListener.class);
  private static final Duration RUNTIME_CLOSE = Duration.ofSeconds(5);

  private final Nio nio;
  private final ServerSocketChannel listener;
  private final InetSocketAddress address;
  private final Clients clients;
  private final Duration drainTimeout;
  private final CountDownLatch stopped = new CountDownLatch(1);

  /** Makes a connection for a channel. */
  protected interface Opener {
    /**
     * Opens a connection, which then is a {@linkplain Clients client} and closes the channel.
     *
     * @param channel in non-blocking mode, with its usual options set
     * @throws IOException if that fails; the channel is closed then
     */
    void open(SocketChannel channel) throws IOException;
  }

  /**
   * Binds a socket and starts a runtime. Nothing is accepted before {@link #begin}.
   *
   * @param options where to listen, for how many, and on what; they have been checked
   * @param runtime how it is built; its cores, policy and error handler are replaced
   * @throws IOException if the port is taken; the message says which
   */
  protected CoreListener(ServerOptions<?> options, MelyBuilder runtime) throws IOException {
    this(options, runtime, options.maxClients());
  }

  /**
   * As above, for a server that limits its connections itself.
   *
   * @param maxClients how many there may be at a time; others are closed at once
   */
  protected CoreListener(ServerOptions<?> options, MelyBuilder runtime, int maxClients)
      throws IOException {
    drainTimeout = options.drainTimeout();
    clients = new Clients(maxClients);
    listener = listen(options.address());
    try {
      address = (InetSocketAddress) listener.getLocalAddress();
      nio =
          Nio.start(
              runtime
                  .cores(options.cores())
                  .policy(options.policy())
                  .errorHandler(CoreListener::failed));
    } catch (Throwable t) {
      listener.close();
      throw t;
    }
  }

  /**
   * Starts to accept connections, in a color of its own; closes the server if that fails. Called
   * once, at the end of the construction.
   *
   * @throws IOException if the socket is closed
   */
  protected final void begin() throws IOException {
    try {
      Opener opener = opener();
      nio.accept(
              listener,
              nio.mely().newColor(),
              Handler.of((SocketChannel channel) -> accepted(channel, opener)).named("Accept"))
          .resume();
    } catch (Throwable t) {
      close();
      throw t;
    }
  }

  /**
   * Returns what makes the connections. Called once, before the first connection.
   *
   * @return called in the color of the listener
   */
  protected abstract Opener opener();

  /**
   * Opens a server socket in non-blocking mode.
   *
   * @param address where; port 0: any free one
   * @return the socket, bound
   * @throws IOException if the port is taken; the message says which
   */
  public static ServerSocketChannel listen(InetSocketAddress address) throws IOException {
    ServerSocketChannel channel = ServerSocketChannel.open();
    try {
      channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
      channel.configureBlocking(false);
      return channel.bind(address, ServiceConfig.BACKLOG);
    } catch (IOException e) {
      channel.close();
      throw new IOException("cannot listen on " + text(address) + ": " + e.getMessage(), e);
    }
  }

  /**
   * Formats an address.
   *
   * @param address resolved
   * @return {@code host:port}, the host of IPv6 in brackets
   */
  public static String text(InetSocketAddress address) {
    InetAddress resolved = address.getAddress();
    String host = resolved == null ? address.getHostString() : resolved.getHostAddress();
    return (host.contains(":") ? "[" + host + "]" : host) + ":" + address.getPort();
  }

  /**
   * Logs a failure that is not one connection's: of the acceptor, or a bug. An {@link
   * dev.mely.ErrorHandler}.
   *
   * @param color in which it happened
   * @param event that failed
   * @param error thrown by its handler
   */
  public static void failed(Color color, Object event, Throwable error) {
    if (error instanceof RejectedExecutionException) {
      LOG.debug("an event was rejected after the end: {}", event, error);
    } else if (error instanceof IOException) {
      LOG.warn("{}: {}", event, error.toString());
    } else {
      LOG.error("an event failed: {}", event, error);
    }
  }

  private void accepted(SocketChannel channel, Opener opener) throws IOException {
    clients.admit(
        () -> {
          channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
          channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
          opener.open(channel);
        },
        channel);
  }

  /** Returns the selectors and the runtime. */
  public final Nio nio() {
    return nio;
  }

  @Override
  public final Clients clients() {
    return clients;
  }

  @Override
  public final InetSocketAddress address() {
    return address;
  }

  @Override
  public final String runsOn() {
    return "dev.mely.nio";
  }

  @Override
  public final Statistics statistics() {
    return nio.mely().inspect().statistics();
  }

  @Override
  public final StageGraph stages() {
    return nio.mely().inspect().stages();
  }

  @Override
  public final void awaitClose() throws InterruptedException {
    stopped.await();
  }

  @Override
  public final Duration longestClose() {
    return drainTimeout.plus(RUNTIME_CLOSE);
  }

  @Override
  public void close() {
    try {
      closeSocket();
    } finally {
      try {
        clients.stop(drainTimeout.toMillis());
      } finally {
        try {
          nio.shutdown(RUNTIME_CLOSE);
        } finally {
          stopped.countDown();
        }
      }
    }
  }

  private void closeSocket() {
    try {
      nio.close(listener);
    } catch (IOException e) {
      LOG.debug("the listener was not closed well", e);
    }
  }
}
