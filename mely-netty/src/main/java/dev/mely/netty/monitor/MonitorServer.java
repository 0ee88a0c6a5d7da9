package dev.mely.netty.monitor;

import dev.mely.pinning.Unpinned;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;

/**
 * A port of its own for the page, with a thread of its own: it answers while all event loops are
 * stuck.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed close ends the connection anyway
final class MonitorServer implements AutoCloseable {
  /** Those that come while so many are open are closed. */
  static final int MOST_CONNECTIONS = 32;

  private static final int MAX_LINE = 4_096;
  private static final int MAX_HEADERS = 8_192;
  private static final int CHUNK = 1_024;

  /** For one request and its answer. */
  static final int PATIENCE_SECONDS = 10;

  private final EventLoopGroup group =
      new MultiThreadIoEventLoopGroup(
          1, new DefaultThreadFactory("mely-monitor", true), NioIoHandler.newFactory());

  private final Channel channel;

  /**
   * Opens the port.
   *
   * @param patience seconds for one request and its answer
   * @throws UncheckedIOException if it cannot
   */
  MonitorServer(InetSocketAddress address, Sampler sampler, Access access, int patience) {
    ServerBootstrap bootstrap =
        new ServerBootstrap()
            .group(group)
            .channel(NioServerSocketChannel.class)
            .childOption(ChannelOption.SO_KEEPALIVE, true)
            .childHandler(new Connections(sampler, access, patience));
    // The caller may be a worker, and this starts a thread.
    ChannelFuture bound = Unpinned.call(() -> bootstrap.bind(address).awaitUninterruptibly());
    if (!bound.isSuccess()) {
      group.shutdownGracefully(0, 1, TimeUnit.SECONDS);
      throw new UncheckedIOException(
          "the monitor cannot listen at " + address, new IOException(bound.cause()));
    }
    channel = bound.channel();
  }

  /** Those that are open, in the thread of the group. */
  private static final class Connections extends ChannelInitializer<Channel> {
    private final Sampler sampler;
    private final Access access;
    private final int patience;
    private int open;

    Connections(Sampler sampler, Access access, int patience) {
      this.sampler = sampler;
      this.access = access;
      this.patience = patience;
    }

    @Override
    protected void initChannel(Channel connection) {
      open++;
      connection.closeFuture().addListener(closed -> open--);
      if (open > MOST_CONNECTIONS) {
        connection.close();
        return;
      }
      MonitorHandler handler = new MonitorHandler(sampler, access, "", false);
      connection.pipeline().addLast(new HttpServerCodec(MAX_LINE, MAX_HEADERS, CHUNK), handler);
      Future<?> end =
          connection
              .eventLoop()
              .schedule(
                  () -> {
                    if (!handler.isStreaming()) {
                      connection.close();
                    }
                  },
                  patience,
                  TimeUnit.SECONDS);
      connection.closeFuture().addListener(closed -> end.cancel(false));
    }
  }

  InetSocketAddress address() {
    return (InetSocketAddress) channel.localAddress();
  }

  /** Closes the port, and soon all of its connections. */
  @Override
  public void close() {
    channel.close().awaitUninterruptibly();
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS);
  }
}
