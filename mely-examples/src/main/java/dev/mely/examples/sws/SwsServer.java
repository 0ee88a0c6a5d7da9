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
import io.netty.channel.socket.ServerSocketChannel;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A running web server on Netty. */
public final class SwsServer extends WebServer {
  private static final int BACKLOG = 1024;

  /** How long the listener may take to close: every wait has a deadline. */
  private static final long LISTENER_MILLIS = 2_000;

  private final Loops loops;
  private final ClientCap cap;
  private final Channel listener;

  private SwsServer(SwsConfig config, Loops loops, FileStore files) throws IOException {
    super(config, files);
    this.loops = loops;
    cap = new ClientCap(config, files);
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

  /** As above; stages may be recorded. */
  static SwsServer start(SwsConfig config, boolean recordsStages) throws IOException {
    return start(config, Loops.open(config, recordsStages));
  }

  /**
   * Starts a server on event loops of any kind.
   *
   * @param config what to serve and where; its cores, transport, policy and working set are ignored
   * @param group runs the server and its listener; the caller stops it, after the server
   * @param serverChannel the listener's type; must match the group
   * @param allocator of the connections; null: the group's or Netty's default
   * @return the server, accepting connections
   * @throws IOException if the port is taken or the folder cannot be read; the message says which
   */
  public static SwsServer start(
      SwsConfig config,
      EventLoopGroup group,
      Class<? extends ServerSocketChannel> serverChannel,
      @Nullable ByteBufAllocator allocator)
      throws IOException {
    return start(config, Loops.lent(group, serverChannel, allocator));
  }

  private static SwsServer start(SwsConfig config, Loops loops) throws IOException {
    FileStore files = null;
    boolean started = false;
    try {
      files = FileStore.open(config, false);
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
            // A client may end its output after its last request; it still gets its answers.
            .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childHandler(cap);
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
    // Netty's acceptor is already in the pipeline.
    bound.channel().pipeline().addLast(new AcceptTrouble(cap));
    return bound.channel();
  }

  @Override
  public InetSocketAddress address() {
    return (InetSocketAddress) listener.localAddress();
  }

  @Override
  String runsOn() {
    return loops.description();
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
    return cap.served.sum();
  }

  @Override
  public long refused() {
    return cap.refused.sum();
  }

  @Override
  public int clients() {
    return cap.clients.get();
  }

  @Override
  public boolean isOpen() {
    return listener.isOpen();
  }

  @Override
  public void awaitClose() throws InterruptedException {
    listener.closeFuture().await();
  }

  @Override
  public Duration longestClose() {
    return config
        .drainTimeout()
        .plusMillis(
            LISTENER_MILLIS + ClientCap.CLOSE_MILLIS + Loops.CLOSE_MILLIS + FileStore.CLOSE_MILLIS);
  }

  @Override
  public void close() {
    try {
      listener.close().awaitUninterruptibly(LISTENER_MILLIS);
      cap.close();
    } finally {
      // Also after an exception or error above.
      try {
        loops.close();
      } finally {
        files.close();
      }
    }
  }
}
