package dev.mely.examples.service;

import dev.mely.Color;
import dev.mely.Handler;
import dev.mely.MelyBuilder;
import dev.mely.nio.Nio;
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
 * A server socket on {@code dev.mely.nio}, with a runtime of its own, and the connections that it
 * has accepted: the life of a server that is not on Netty. Thread-safe.
 */
public final class CoreListener implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(CoreListener.class);
  private static final Duration RUNTIME_CLOSE = Duration.ofSeconds(5);

  private final Nio nio;
  private final ServerSocketChannel listener;
  private final InetSocketAddress address;
  private final Clients clients;
  private final Duration drainTimeout;
  private final CountDownLatch stopped = new CountDownLatch(1);

  /** Makes a connection of a channel. */
  public interface Opener {
    /**
     * Opens a connection, which then is a {@linkplain Clients#add client} and closes the channel.
     *
     * @param channel in non-blocking mode, with its usual options set
     * @throws IOException if it cannot; the channel is closed then
     */
    void open(SocketChannel channel) throws IOException;
  }

  private CoreListener(Nio nio, ServerSocketChannel listener, int maxClients, Duration drainTimeout)
      throws IOException {
    this.nio = nio;
    this.listener = listener;
    this.drainTimeout = drainTimeout;
    address = (InetSocketAddress) listener.getLocalAddress();
    clients = new Clients(maxClients);
  }

  /**
   * Binds a socket and starts a runtime. Nothing is accepted yet.
   *
   * @param address where to listen; port 0: any free one
   * @param runtime how it is built; its cores, policy and error handler are replaced
   * @param options of the runtime, and how long connections may take to end when it is closed
   * @param maxClients how many connections there may be at a time; others are closed at once
   * @return the listener; its owner closes it
   * @throws IOException if the port is taken; the message says which
   */
  public static CoreListener bind(
      InetSocketAddress address, MelyBuilder runtime, RuntimeOptions options, int maxClients)
      throws IOException {
    Nio nio =
        Nio.start(
            runtime
                .cores(options.cores())
                .policy(options.policy())
                .errorHandler(CoreListener::failed));
    boolean bound = false;
    try {
      CoreListener listener = bind(address, nio, maxClients, options.drainTimeout());
      bound = true;
      return listener;
    } finally {
      if (!bound) {
        nio.shutdown(Duration.ZERO);
      }
    }
  }

  private static CoreListener bind(
      InetSocketAddress address, Nio nio, int maxClients, Duration drainTimeout)
      throws IOException {
    ServerSocketChannel socket = listen(address);
    boolean bound = false;
    try {
      CoreListener listener = new CoreListener(nio, socket, maxClients, drainTimeout);
      bound = true;
      return listener;
    } finally {
      if (!bound) {
        socket.close();
      }
    }
  }

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
   * Writes an address as people and other programs read it.
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
   * What a connection's own faults do not explain: the acceptor's, and this program's. An {@link
   * dev.mely.ErrorHandler}.
   *
   * @param color in which it happened
   * @param event which one failed
   * @param error what it has thrown
   */
  public static void failed(Color color, Object event, Throwable error) {
    if (error instanceof RejectedExecutionException) {
      LOG.debug("an event came after the end: {}", event, error);
    } else if (error instanceof IOException) {
      LOG.warn("{}: {}", event, error.toString());
    } else {
      LOG.error("an event failed: {}", event, error);
    }
  }

  /**
   * Accepts connections from now on, in a color of its own. Called once.
   *
   * @param opener makes connections of them
   * @throws IOException if the socket is closed
   */
  public void accept(Opener opener) throws IOException {
    nio.accept(
            listener,
            nio.mely().newColor(),
            Handler.<SocketChannel>named("Accept", channel -> accepted(channel, opener)))
        .resume();
  }

  private void accepted(SocketChannel channel, Opener opener) throws IOException {
    if (!clients.enter()) {
      channel.close();
      return;
    }
    boolean opened = false;
    try {
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
      opener.open(channel);
      opened = true;
    } finally {
      if (!opened) {
        clients.abandon();
        channel.close();
      }
    }
  }

  /**
   * Returns the selectors and the runtime.
   *
   * @return this listener's own
   */
  public Nio nio() {
    return nio;
  }

  /**
   * Returns the connections.
   *
   * @return this listener's own
   */
  public Clients clients() {
    return clients;
  }

  /**
   * Returns where it listens.
   *
   * @return the address with the real port
   */
  public InetSocketAddress address() {
    return address;
  }

  /** Waits until it has been closed. */
  public void awaitClose() throws InterruptedException {
    stopped.await();
  }

  /**
   * Returns how long {@link #close} takes at most.
   *
   * @return the drain timeout and some seconds
   */
  public Duration longestClose() {
    return drainTimeout.plus(RUNTIME_CLOSE);
  }

  /** Accepts nothing more, lets clients end as long as the drain timeout allows, and ends. */
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
