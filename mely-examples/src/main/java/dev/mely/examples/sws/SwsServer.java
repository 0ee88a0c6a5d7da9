package dev.mely.examples.sws;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * A running web server. Thread-safe.
 *
 * <p>{@link #start} returns when it accepts connections; {@link #close} lets the responses in
 * flight finish.
 */
public final class SwsServer implements AutoCloseable {
  private static final int BACKLOG = 1024;

  private final SwsConfig config;
  private final Loops loops;
  private final ExecutorService background;
  private final PrebuiltResponses prebuilt;
  private final ClientCap cap;
  private final ChannelGroup connections;
  private final ConnectionPipeline pipeline;
  private final Channel listener;

  private SwsServer(SwsConfig config, Loops loops, ExecutorService background) throws IOException {
    this.config = config;
    this.loops = loops;
    this.background = background;
    PathResolver resolver = new PathResolver(config.root());
    prebuilt =
        new PrebuiltResponses(config.prebuiltFileBytes(), config.prebuiltBytes(), background);
    prebuilt.build(resolver.root());
    cap = new ClientCap(config.maxClients());
    connections = new DefaultChannelGroup("sws-connections", GlobalEventExecutor.INSTANCE);
    pipeline =
        new ConnectionPipeline(
            new FileStore(resolver, prebuilt), background, config.idleTimeout(), cap, connections);
    listener = listen();
  }

  /**
   * Starts a server.
   *
   * @param config what to serve, where and how
   * @return the server, accepting connections
   * @throws IOException if the port is taken or the folder cannot be read; the message says which
   * @throws IllegalArgumentException if the transport is not available on this machine
   */
  public static SwsServer start(SwsConfig config) throws IOException {
    return start(config, Loops.open(config.cores(), config.transport(), config.policy()));
  }

  /**
   * Starts a server on event loops of any kind.
   *
   * @param config what to serve and where; its cores, transport and policy do not count
   * @param group runs the server, its listener too; the caller stops it, after the server
   * @param serverChannel the listener's type, one that goes with the group
   * @return the server, accepting connections
   * @throws IOException if the port is taken or the folder cannot be read; the message says which
   */
  public static SwsServer start(
      SwsConfig config, EventLoopGroup group, Class<? extends ServerSocketChannel> serverChannel)
      throws IOException {
    return start(config, Loops.lent(group, serverChannel));
  }

  private static SwsServer start(SwsConfig config, Loops loops) throws IOException {
    ExecutorService background =
        Executors.newSingleThreadExecutor(new DefaultThreadFactory("sws-background", true));
    boolean started = false;
    try {
      SwsServer server = new SwsServer(config, loops, background);
      started = true;
      return server;
    } finally {
      if (!started) {
        background.shutdownNow();
        loops.close();
      }
    }
  }

  private Channel listen() throws IOException {
    InetSocketAddress address = new InetSocketAddress(config.bind(), config.port());
    ChannelFuture bound =
        new ServerBootstrap()
            .group(loops.group())
            .channel(loops.serverChannel())
            .option(ChannelOption.SO_BACKLOG, BACKLOG)
            .option(ChannelOption.SO_REUSEADDR, true)
            // A client may end its output once it has asked; it still gets its answers.
            .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childHandler(pipeline)
            .bind(address)
            .awaitUninterruptibly();
    if (!bound.isSuccess()) {
      throw new IOException(
          "cannot listen on "
              + config.bind().getHostAddress()
              + ":"
              + config.port()
              + ": "
              + bound.cause().getMessage(),
          bound.cause());
    }
    return bound.channel();
  }

  /**
   * Returns where the server listens.
   *
   * @return the address with the real port
   */
  public InetSocketAddress address() {
    return (InetSocketAddress) listener.localAddress();
  }

  /**
   * Returns where a browser finds the server.
   *
   * @return a URL that ends in a slash
   */
  public String url() {
    InetSocketAddress address = address();
    String host = address.getAddress().getHostAddress();
    return "http://"
        + (host.contains(":") ? "[" + host + "]" : host)
        + ":"
        + address.getPort()
        + "/";
  }

  /**
   * Returns what the server does and with what.
   *
   * @return a line for people
   */
  public String description() {
    return String.format(
        Locale.ROOT,
        "serving %s at %s with %s; %,d paths prebuilt (%,.1f MiB), at most %,d clients",
        config.root(),
        url(),
        loops.description(),
        prebuilt.size(),
        prebuilt.bytes() / (1024.0 * 1024.0),
        config.maxClients());
  }

  /**
   * Returns what each core has done so far.
   *
   * @return a row per core; empty if the event loops do not count
   */
  public List<CoreTable.Row> cores() {
    return loops.rows();
  }

  /**
   * Returns how many connections were served.
   *
   * @return those admitted, open ones included
   */
  public long served() {
    return cap.served();
  }

  /**
   * Returns how many connections were turned away.
   *
   * @return those beyond the limit on clients
   */
  public long refused() {
    return cap.refused();
  }

  /** Returns how many clients are connected now, but for those being turned away. */
  int clients() {
    return cap.clients();
  }

  /** Returns whether connections are accepted. */
  boolean isOpen() {
    return listener.isOpen();
  }

  /** Returns the folder that is served. */
  Path root() {
    return config.root();
  }

  /** Waits until the server has been told to stop. */
  public void awaitClose() {
    listener.closeFuture().awaitUninterruptibly();
  }

  /**
   * Stops: accepts no more connections, lets responses in flight finish as long as the drain
   * timeout allows, then closes what is left. May be called more than once; each call returns when
   * all is closed.
   */
  @Override
  public void close() {
    listener.close().awaitUninterruptibly();
    pipeline.drain();
    for (Channel connection : connections) {
      connection.pipeline().fireUserEventTriggered(HttpFileHandler.Drain.EVENT);
    }
    connections
        .newCloseFuture()
        .awaitUninterruptibly(config.drainTimeout().toMillis(), TimeUnit.MILLISECONDS);
    connections.close().awaitUninterruptibly(1, TimeUnit.SECONDS);
    loops.close();
    background.shutdown();
  }
}
