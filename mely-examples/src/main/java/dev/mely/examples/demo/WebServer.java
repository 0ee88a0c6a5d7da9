package dev.mely.examples.demo;

import dev.mely.netty.monitor.MelyMonitor;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Serves the page to programs of this machine, by a thread of its own. Thread-safe. */
@SuppressWarnings("FutureReturnValueIgnored") // a failed close ends the connection anyway
final class WebServer implements AutoCloseable {
  /** Those that come while so many are open are closed. */
  static final int MOST_CONNECTIONS = 32;

  /** Of a request's body, in bytes. */
  static final int MOST_BODY = 4_096;

  /** Nobody looks at this process: the monitor's page is not served. */
  private static final String NOBODYS = UUID.randomUUID().toString();

  private static final int MOST_LINE = 4_096;
  private static final int MOST_HEADERS = 8_192;
  private static final int CHUNK = 4_096;

  /** For one request and its answer. */
  private static final int PATIENCE_SECONDS = 10;

  private final EventLoopGroup group =
      new MultiThreadIoEventLoopGroup(
          1, new DefaultThreadFactory("demo-web", true), NioIoHandler.newFactory());

  private final AtomicInteger connections = new AtomicInteger();

  /** The page's scripts that show cores are the monitor's. It watches nothing in this process. */
  private final MelyMonitor monitor = new MelyMonitor();

  private final Board board;
  private final int port;

  /**
   * Opens the port.
   *
   * @param port 0: any that is free
   * @throws IOException if it cannot
   */
  WebServer(int port, Board board) throws IOException {
    this.board = board;
    ChannelFuture bound =
        new ServerBootstrap()
            .group(group)
            .channel(NioServerSocketChannel.class)
            .childHandler(
                new ChannelInitializer<>() {
                  @Override
                  protected void initChannel(Channel connection) {
                    accept(connection);
                  }
                })
            .bind(InetAddress.getLoopbackAddress(), port)
            .awaitUninterruptibly();
    if (!bound.isSuccess()) {
      close();
      throw new IOException(
          "cannot listen at port " + port + ": " + bound.cause().getMessage(), bound.cause());
    }
    this.port = ((InetSocketAddress) bound.channel().localAddress()).getPort();
  }

  private void accept(Channel connection) {
    connection.closeFuture().addListener(closed -> connections.decrementAndGet());
    if (connections.incrementAndGet() > MOST_CONNECTIONS) {
      connection.close();
      return;
    }
    WebHandler handler = new WebHandler(board);
    connection
        .pipeline()
        .addLast(new HttpServerCodec(MOST_LINE, MOST_HEADERS, CHUNK))
        .addLast(new OneRequest())
        .addLast(monitor.handler("/monitor", NOBODYS)) // its scripts and styles need no token
        .addLast(new HttpObjectAggregator(MOST_BODY, true))
        .addLast(handler);
    Future<?> end =
        connection
            .eventLoop()
            .schedule(
                () -> {
                  if (!handler.isStreaming()) {
                    connection.close();
                  }
                },
                PATIENCE_SECONDS,
                TimeUnit.SECONDS);
    // Else each connection that was closed early would be held until then.
    connection.closeFuture().addListener(closed -> end.cancel(false));
  }

  int port() {
    return port;
  }

  /** Closes the port and all connections. */
  @Override
  public void close() {
    monitor.close();
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS);
  }

  /** Each connection has one request: so the time for it is the connection's. */
  private static final class OneRequest extends ChannelInboundHandlerAdapter {
    private int requests;

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object part) {
      if (part instanceof HttpRequest request) {
        requests++;
        request.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
      }
      if (requests == 1) {
        ctx.fireChannelRead(part);
      } else {
        ReferenceCountUtil.release(part);
      }
    }
  }
}
