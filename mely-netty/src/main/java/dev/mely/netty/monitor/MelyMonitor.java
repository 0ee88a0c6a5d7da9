package dev.mely.netty.monitor;

import dev.mely.netty.MelyEventLoopGroup;
import io.netty.channel.ChannelHandler;
import io.netty.channel.IoHandlerFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A page that shows what the cores of a running server do: how busy each is and what waits for it,
 * who steals from whom, the ten heaviest colors and handlers, handlers that are stuck with their
 * stacks, and memory. It shows; there is nothing in it that changes anything.
 *
 * <pre>{@code
 * new MelyMonitor().add("http", group).listen(7070); // http://localhost:7070/
 * }</pre>
 *
 * <p>An event loop group of Netty's own is watched by its I/O handlers, and the page says what
 * sharing would have won there: for how long a channel waited while another loop was idle.
 *
 * <pre>{@code
 * MelyMonitor monitor = new MelyMonitor();
 * EventLoopGroup group =
 *     new MultiThreadIoEventLoopGroup(monitor.watch("stock", NioIoHandler.newFactory()));
 * }</pre>
 *
 * <p>While no page is open nothing is measured. While one is, a thread looks at the cores every 20
 * ms, and the loops of a group of Netty's own take times for a fifth of the time.
 *
 * <p>Who may look: without a token, programs on the same machine that ask for it by the machine's
 * own names ({@code localhost}), and not through a proxy. With a token, whoever has it: {@code
 * http://host:7070/?token=...}, or {@code Authorization: Bearer ...}. The page is HTTP: where
 * others listen to the network, have a proxy add TLS, or serve the page from a {@link #handler}
 * behind your own.
 *
 * <p>Beside the page, {@code state.json} has the figures of the next second; eight readers are
 * served at once. Groups that have been shut down are forgotten when another one is added, or a
 * page is opened. Thread-safe. The HTTP codec is an optional dependency: {@code
 * io.netty:netty-codec-http}.
 */
@SuppressWarnings("exports") // that codec's module; modules that use this require it
public final class MelyMonitor implements AutoCloseable {
  private static final int MAX_PORT = 65_535;

  private final Sampler sampler = new Sampler();
  private final List<MonitorServer> servers = new CopyOnWriteArrayList<>();

  /** Makes a monitor that watches nothing yet. */
  public MelyMonitor() {}

  /**
   * Watches a group.
   *
   * @param name shown on the page, to tell groups apart
   * @param group to watch
   * @return this monitor
   */
  public MelyMonitor add(String name, MelyEventLoopGroup group) {
    Objects.requireNonNull(name, "name");
    sampler.watch(new MelyGroup(name, Objects.requireNonNull(group, "group")));
    return this;
  }

  /**
   * Watches a group of Netty's own, that is made with what this returns.
   *
   * @param name shown on the page, to tell groups apart
   * @param factory makes the I/O handler of each loop, for NIO or epoll: the constructor of the
   *     group fails with an {@link IllegalArgumentException} for any other
   * @return a factory for one group; {@code isIoType} of that group is false for all types
   */
  public IoHandlerFactory watch(String name, IoHandlerFactory factory) {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(factory, "factory");
    StockGroup group = new StockGroup(name);
    sampler.watch(group);
    return new WatchedFactory(factory, group);
  }

  /**
   * Serves the page at a port of this machine, for programs on this machine alone.
   *
   * @param port 1 to 65535; 0: any that is free
   * @return the address
   * @throws IllegalArgumentException if there is no such port
   * @throws IllegalStateException if the monitor is closed
   * @throws java.io.UncheckedIOException if the port cannot be opened
   */
  public InetSocketAddress listen(int port) {
    if (port < 0 || port > MAX_PORT) {
      throw new IllegalArgumentException(
          "port must be between 0 and " + MAX_PORT + ", but is " + port);
    }
    return listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), Access.local());
  }

  /**
   * Serves the page at an address, for those who have a token.
   *
   * @param address of this machine
   * @param token 16 characters or more, hard to guess: it stands in addresses, so letters, digits,
   *     {@code -} and {@code _} alone
   * @return the address
   * @throws IllegalArgumentException if the token is too short, or has other characters
   * @throws IllegalStateException if the monitor is closed
   * @throws java.io.UncheckedIOException if the port cannot be opened
   */
  public InetSocketAddress listen(InetSocketAddress address, String token) {
    Objects.requireNonNull(address, "address");
    return listen(address, Access.by(Objects.requireNonNull(token, "token")));
  }

  private InetSocketAddress listen(InetSocketAddress address, Access access) {
    if (sampler.isClosed()) {
      throw new IllegalStateException("the monitor is closed");
    }
    MonitorServer server =
        new MonitorServer(address, sampler, access, MonitorServer.PATIENCE_SECONDS);
    servers.add(server);
    return server.address();
  }

  /**
   * Makes a handler that serves the page on connections of another HTTP/1.1 server, for those who
   * have a token. It passes on all requests but those for the path. A client that asks for the page
   * before it has the answers to its other requests (pipelining) loses the connection.
   *
   * <pre>{@code
   * pipeline.addLast(new HttpServerCodec(), monitor.handler("/mely", token), new YourHandler());
   * }</pre>
   *
   * @param path begins with a slash, and has something behind it
   * @param token as in {@link #listen(InetSocketAddress, String)}
   * @return a handler for one channel, to be placed behind its HTTP codec
   * @throws IllegalArgumentException if the path is none, or the token is too short
   */
  public ChannelHandler handler(String path, String token) {
    Objects.requireNonNull(path, "path");
    Access access = Access.by(Objects.requireNonNull(token, "token"));
    if (!path.matches("(/[\\w.~-]+)+")) {
      throw new IllegalArgumentException(
          "path must begin with a slash and have letters or digits behind it: " + path);
    }
    return new MonitorHandler(sampler, access, path, true);
  }

  /** Closes the ports, and ends all looks. Groups go on. */
  @Override
  public void close() {
    sampler.close();
    servers.forEach(MonitorServer::close);
  }
}
