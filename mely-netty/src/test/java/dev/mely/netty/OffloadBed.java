package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import dev.mely.Mely;
import dev.mely.Migrating;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.local.LocalAddress;
import io.netty.channel.local.LocalChannel;
import io.netty.channel.local.LocalIoHandler;
import io.netty.channel.local.LocalServerChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.Future;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A server whose channels have off-loaded handlers, and clients on a group of Netty's own. */
final class OffloadBed implements AutoCloseable {
  /** What the server's channels are registered with. */
  enum Kind {
    NIO,
    EPOLL,
    /** The channels stay on their thread; a message arrives as the object that was written. */
    LOCAL,
    /** One event may be pending in the runtime; tasks beyond that are refused, as far as can be. */
    BOUNDED,
    /** Netty's own group: the colors belong to a runtime beside it. */
    STOCK;

    boolean hasSockets() {
      return this != LOCAL;
    }
  }

  private static final AtomicInteger ADDRESSES = new AtomicInteger();

  final Kind kind;
  final EventLoopGroup group;
  final Mely mely;

  /** The server's ends, in the order of their arrival. */
  private final BlockingQueue<Channel> accepted = new LinkedTransferQueue<>();

  private final ServerBootstrap bootstrap = new ServerBootstrap();
  private final EventLoopGroup clients;
  private @Nullable SocketAddress address;

  OffloadBed(Kind kind) {
    this(kind, 2, 4711);
  }

  /**
   * @param seed of the random migration
   */
  OffloadBed(Kind kind, int cores, long seed) {
    this.kind = kind;
    this.group = group(kind, cores, seed);
    this.mely =
        group instanceof MelyEventLoopGroup colored
            ? colored.mely()
            : Migrating.on(Mely.builder().cores(cores), seed).build();
    this.clients =
        new MultiThreadIoEventLoopGroup(
            1, kind.hasSockets() ? NioIoHandler.newFactory() : LocalIoHandler.newFactory());
  }

  private static EventLoopGroup group(Kind kind, int cores, long seed) {
    MelyEventLoopGroupBuilder builder =
        MelyEventLoopGroup.builder().cores(cores).runtime(Migrating.by(seed));
    return switch (kind) {
      case NIO -> builder.transport("NIO").build();
      case EPOLL -> builder.transport("EPOLL").build();
      case LOCAL -> builder.ioHandlerFactory(LocalIoHandler.newFactory()).build();
      case BOUNDED -> builder.transport("NIO").runtime(mely -> mely.maxPending(1)).build();
      case STOCK -> new MultiThreadIoEventLoopGroup(cores, NioIoHandler.newFactory());
    };
  }

  <T> OffloadBed option(ChannelOption<T> option, T value) {
    bootstrap.childOption(option, value);
    return this;
  }

  /** Starts the server; the initializer adds the handlers of each channel. */
  OffloadBed serve(Consumer<Channel> initializer) throws InterruptedException {
    bootstrap
        .group(group)
        .channel(
            switch (kind) {
              case LOCAL -> LocalServerChannel.class;
              case STOCK -> NioServerSocketChannel.class;
              default -> ((MelyEventLoopGroup) group).serverSocketChannelType();
            })
        .childHandler(
            new ChannelInitializer<>() {
              @Override
              protected void initChannel(Channel channel) {
                initializer.accept(channel);
                accepted.add(channel);
              }
            });
    address =
        bootstrap
            .bind(
                kind.hasSockets()
                    ? new InetSocketAddress("127.0.0.1", 0)
                    : new LocalAddress("offload" + ADDRESSES.incrementAndGet()))
            .sync()
            .channel()
            .localAddress();
    return this;
  }

  /** A handler that off-loads those given, for a channel of this group. */
  OffloadHandler offload(ChannelHandler... handlers) {
    return here(OffloadHandler.of(handlers));
  }

  OffloadHandler here(OffloadHandler handler) {
    return kind == Kind.STOCK ? handler.on(mely) : handler;
  }

  /** Connects a client that collects what it reads. */
  Harness.Client connect() throws InterruptedException {
    return connect(client -> {});
  }

  /** The same; the configuration comes before the connection. */
  Harness.Client connect(Consumer<Bootstrap> configuration) throws InterruptedException {
    Harness.Client client = new Harness.Client();
    Bootstrap connecting =
        new Bootstrap()
            .group(clients)
            .channel(kind.hasSockets() ? NioSocketChannel.class : LocalChannel.class)
            .handler(client);
    configuration.accept(connecting);
    client.channel = connecting.connect(address()).sync().channel();
    Channel peer = accepted.poll(Harness.PATIENCE_SECONDS, TimeUnit.SECONDS);
    assertNotNull(peer, "accepted");
    client.peer = peer;
    return client;
  }

  private SocketAddress address() {
    return Objects.requireNonNull(address, "serve first");
  }

  /** Does something in a channel's event loop: all of it between two reads. */
  static void inLoop(Channel channel, Consumer<ChannelPipeline> what) throws InterruptedException {
    Future<?> done = null;
    while (done == null) {
      try {
        done = channel.eventLoop().submit(() -> what.accept(channel.pipeline()));
      } catch (RejectedExecutionException e) {
        Thread.yield(); // a runtime with a bound, which is full
      }
    }
    done.sync();
  }

  static ByteBuf bytes(String text) {
    return Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII);
  }

  /** What handlers throw must not be seen by the runtime. */
  void assertNoErrors() {
    assertEquals(0, mely.inspect().statistics().total().errors(), "events of colors that failed");
  }

  @Override
  public void close() {
    clients.shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
    shutDown();
  }

  /**
   * Ends the group and the runtime. Netty's own group has a quiet period: without one it may end
   * between two looks at its shutdown, and leave its channels open, with what they have not
   * flushed.
   */
  void shutDown() {
    int quiet = kind == Kind.STOCK ? 20 : 0;
    group.shutdownGracefully(quiet, 10_000, TimeUnit.MILLISECONDS).syncUninterruptibly();
    if (kind == Kind.STOCK) {
      mely.close();
    }
  }
}
