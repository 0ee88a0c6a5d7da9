package dev.mely.examples.sws;

import dev.mely.examples.service.CoreListener;
import dev.mely.examples.service.CoreTable;
import dev.mely.stage.StageGraph;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * A running web server. Thread-safe.
 *
 * <p>{@link #start} returns when it accepts connections; {@link #close} lets the responses in
 * flight finish.
 */
public final class SwsServer implements WebServer {
  private static final int BACKLOG = 1024;

  /** How long parts of the end may take: every wait has a deadline. */
  private static final long LISTENER_MILLIS = 2_000;

  private static final long CONNECTIONS_MILLIS = 1_000;

  private final SwsConfig config;
  private final Loops loops;
  private final WebFiles files;
  private final ClientCap cap;
  private final ChannelGroup connections;
  private final ConnectionPipeline pipeline;
  private final Channel listener;

  private SwsServer(SwsConfig config, Loops loops, WebFiles files) throws IOException {
    this.config = config;
    this.loops = loops;
    this.files = files;
    cap = new ClientCap(config.maxClients());
    connections = new DefaultChannelGroup("sws-connections", GlobalEventExecutor.INSTANCE);
    FileStore store = new FileStore(files.folder, files.prebuilt, config.prebuiltFileBytes());
    pipeline = new ConnectionPipeline(store, files.disk, config.idleTimeout(), cap, connections);
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
    return start(config, false);
  }

  /**
   * Starts a server.
   *
   * @param config what to serve, where and how
   * @param recordsStages whether its stages are recorded
   * @return the server, accepting connections
   * @throws IOException if the port is taken or the folder cannot be read; the message says which
   * @throws IllegalArgumentException if the transport is not available on this machine
   */
  static SwsServer start(SwsConfig config, boolean recordsStages) throws IOException {
    return start(config, Loops.open(config, recordsStages));
  }

  /**
   * Starts a server on event loops of any kind.
   *
   * @param config what to serve and where; its cores, transport, policy and working set do not
   *     count
   * @param group runs the server, its listener too; the caller stops it, after the server
   * @param serverChannel the listener's type, one that goes with the group
   * @return the server, accepting connections
   * @throws IOException if the port is taken or the folder cannot be read; the message says which
   */
  public static SwsServer start(
      SwsConfig config, EventLoopGroup group, Class<? extends ServerSocketChannel> serverChannel)
      throws IOException {
    return start(config, Loops.lent(group, serverChannel, null));
  }

  /**
   * Starts a server on event loops of any kind, with buffers of any kind.
   *
   * @param config what to serve and where; its cores, transport, policy and working set do not
   *     count
   * @param group runs the server, its listener too; the caller stops it, after the server
   * @param serverChannel the listener's type, one that goes with the group
   * @param allocator of the connections
   * @return the server, accepting connections
   * @throws IOException if the port is taken or the folder cannot be read; the message says which
   */
  public static SwsServer start(
      SwsConfig config,
      EventLoopGroup group,
      Class<? extends ServerSocketChannel> serverChannel,
      ByteBufAllocator allocator)
      throws IOException {
    return start(config, Loops.lent(group, serverChannel, allocator));
  }

  private static SwsServer start(SwsConfig config, Loops loops) throws IOException {
    WebFiles files = null;
    boolean started = false;
    try {
      files = WebFiles.open(config, config.prebuiltBytes());
      SwsServer server = new SwsServer(config, loops, files);
      started = true;
      return server;
    } finally {
      if (!started) {
        if (files != null) {
          files.close();
        }
        loops.close();
      }
    }
  }

  private Channel listen() throws IOException {
    InetSocketAddress address = config.address();
    ServerBootstrap bootstrap =
        new ServerBootstrap()
            .group(loops.group())
            .channel(loops.serverChannel())
            .option(ChannelOption.SO_BACKLOG, BACKLOG)
            .option(ChannelOption.SO_REUSEADDR, true)
            // A client may end its output once it has asked; it still gets its answers.
            .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childHandler(pipeline);
    ByteBufAllocator allocator = loops.allocator();
    if (allocator != null) {
      bootstrap.childOption(ChannelOption.ALLOCATOR, allocator);
    }
    ChannelFuture bound = bootstrap.bind(address).awaitUninterruptibly();
    if (!bound.isSuccess()) {
      throw new IOException(
          "cannot listen on " + CoreListener.text(address) + ": " + bound.cause().getMessage(),
          bound.cause());
    }
    // Netty's acceptor is in the pipeline by now.
    bound.channel().pipeline().addLast(new AcceptTrouble(cap));
    return bound.channel();
  }

  /** The threads that wait for the disk, for tests. */
  Disk disk() {
    return files.disk;
  }

  @Override
  public InetSocketAddress address() {
    return (InetSocketAddress) listener.localAddress();
  }

  @Override
  public String description() {
    return String.format(
        Locale.ROOT,
        "serving %s at %s with %s; %,d paths prebuilt (%,.1f MiB), at most %,d clients",
        config.root(),
        url(),
        loops.description(),
        files.prebuilt.size(),
        files.prebuilt.bytes() / (1024.0 * 1024.0),
        config.maxClients());
  }

  @Override
  public List<CoreTable.Row> cores() {
    return loops.rows();
  }

  @Override
  public StageGraph stages() {
    return loops.stages();
  }

  @Override
  public long served() {
    return cap.served();
  }

  @Override
  public long refused() {
    return cap.refused();
  }

  @Override
  public int clients() {
    return cap.clients();
  }

  @Override
  public boolean isOpen() {
    return listener.isOpen();
  }

  @Override
  public Path root() {
    return config.root();
  }

  @Override
  public void awaitClose() {
    listener.closeFuture().awaitUninterruptibly();
  }

  @Override
  public Duration longestClose() {
    return config
        .drainTimeout()
        .plusMillis(
            LISTENER_MILLIS + CONNECTIONS_MILLIS + Loops.CLOSE_MILLIS + WebFiles.CLOSE_MILLIS);
  }

  @Override
  public void close() {
    try {
      listener.close().awaitUninterruptibly(LISTENER_MILLIS);
      pipeline.drain();
      for (Channel connection : connections) {
        connection.pipeline().fireUserEventTriggered(HttpFileHandler.Drain.EVENT);
      }
      connections.newCloseFuture().awaitUninterruptibly(config.drainTimeout().toMillis());
      connections.close().awaitUninterruptibly(CONNECTIONS_MILLIS);
    } finally {
      // Whatever failed above, an Error too.
      try {
        loops.close();
      } finally {
        files.close();
      }
    }
  }
}
