package dev.mely.examples.service;

import dev.mely.netty.MelyEventLoopGroup;
import dev.mely.report.Statistics;
import dev.mely.stage.StageGraph;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.SocketChannel;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** A protocol on Netty, with Mely's event loop group. */
@SuppressWarnings("FutureReturnValueIgnored") // the idle check ends with the group
public final class NettyServer implements Server {
  private static final Duration GROUP_CLOSE = Duration.ofSeconds(5);

  private final ServiceConfig config;
  private final MelyEventLoopGroup group;
  private final Channel listener;
  private final Clients clients;

  private NettyServer(ServiceConfig config, MelyEventLoopGroup group) throws IOException {
    this.config = config;
    this.group = group;
    clients = new Clients(config.maxClients());
    Protocol protocol = config.protocol().apply(group.mely());
    if (!config.idleTimeout().isZero()) {
      long period = config.lookPeriod().toMillis();
      group.next().scheduleWithFixedDelay(clients::look, period, period, TimeUnit.MILLISECONDS);
    }
    listener = listen(protocol);
  }

  /**
   * Starts a server.
   *
   * @param config the protocol and where to listen
   * @param recordsStages whether its stages are recorded
   * @return the server, accepting connections
   * @throws IOException if the port is taken; the message says which
   */
  public static NettyServer start(ServiceConfig config, boolean recordsStages) throws IOException {
    config.check();
    MelyEventLoopGroup group =
        MelyEventLoopGroup.builder()
            .cores(config.cores())
            .policy(config.policy())
            .runtime(mely -> mely.recordStages(recordsStages))
            .build();
    try {
      return new NettyServer(config, group);
    } catch (Throwable t) {
      stop(group);
      throw t;
    }
  }

  private Channel listen(Protocol protocol) throws IOException {
    InetSocketAddress address = config.address();
    ChannelFuture bound =
        new ServerBootstrap()
            .group(group)
            .channel(group.serverSocketChannelType())
            .option(ChannelOption.SO_BACKLOG, ServiceConfig.BACKLOG)
            .option(ChannelOption.SO_REUSEADDR, true)
            .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childOption(ChannelOption.SO_KEEPALIVE, true)
            .childHandler(
                new ChannelInitializer<SocketChannel>() {
                  @Override
                  protected void initChannel(SocketChannel channel) throws IOException {
                    clients.admit(() -> open(channel, protocol), channel::close);
                  }
                })
            .bind(address)
            .awaitUninterruptibly();
    if (!bound.isSuccess()) {
      throw new IOException(
          "cannot listen on " + CoreListener.text(address) + ": " + bound.cause().getMessage(),
          bound.cause());
    }
    return bound.channel();
  }

  private void open(SocketChannel channel, Protocol protocol) {
    if (config.sendBuffer() > 0) {
      channel.config().setSendBufferSize(config.sendBuffer());
    }
    new NettyConnection(channel, clients).open(protocol);
  }

  @Override
  public InetSocketAddress address() {
    return (InetSocketAddress) listener.localAddress();
  }

  @Override
  public String runsOn() {
    return "Netty";
  }

  @Override
  public Clients clients() {
    return clients;
  }

  @Override
  public Statistics statistics() {
    return group.statistics();
  }

  @Override
  public StageGraph stages() {
    return group.mely().inspect().stages();
  }

  @Override
  public void awaitClose() throws InterruptedException {
    listener.closeFuture().await();
  }

  @Override
  public Duration longestClose() {
    return config.drainTimeout().plus(GROUP_CLOSE.multipliedBy(2));
  }

  @Override
  public void close() {
    try {
      listener.close().awaitUninterruptibly(GROUP_CLOSE.toMillis());
    } finally {
      try {
        clients.stop(config.drainTimeout().toMillis());
      } finally {
        stop(group);
      }
    }
  }

  private static void stop(MelyEventLoopGroup group) {
    group
        .shutdownGracefully(0, GROUP_CLOSE.toMillis(), TimeUnit.MILLISECONDS)
        .awaitUninterruptibly(GROUP_CLOSE.toMillis());
  }
}
