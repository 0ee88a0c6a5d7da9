package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.EventExecutor;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/** A server on the group under test, and clients on one of Netty's own. */
public final class Harness implements AutoCloseable {
  public static final long PATIENCE_SECONDS = 120;

  final MelyEventLoopGroup group;
  final Channel server;

  /** The server's ends, in the order of their arrival. */
  final BlockingQueue<Channel> accepted = new LinkedTransferQueue<>();

  private final MultiThreadIoEventLoopGroup clients =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());

  Harness(MelyEventLoopGroup group, Supplier<ChannelHandler> handler) throws Exception {
    this.group = group;
    this.server =
        new ServerBootstrap()
            .group(group)
            .channel(group.serverSocketChannelType())
            .childHandler(
                new ChannelInitializer<>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    channel.pipeline().addLast(handler.get());
                    accepted.add(channel);
                  }
                })
            .bind(new InetSocketAddress("127.0.0.1", 0))
            .sync()
            .channel();
  }

  /** A server whose pipelines obey annotations. */
  static Harness colored(MelyEventLoopGroup group, Function<Channel, ChannelHandler[]> made)
      throws Exception {
    return new Harness(
        group,
        () ->
            new ColoredInitializer<Channel>() {
              @Override
              protected void initChannel(Channel channel, ChannelPipeline pipeline) {
                pipeline.addLast(made.apply(channel));
              }
            });
  }

  /** Connects a client that collects what it reads. */
  Client connect() throws Exception {
    Client client = new Client();
    client.channel =
        new Bootstrap()
            .group(clients)
            .channel(NioSocketChannel.class)
            .handler(client)
            .connect(server.localAddress())
            .sync()
            .channel();
    client.peer = accepted.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
    assertTrue(client.peer != null, "accepted");
    return client;
  }

  /** Waits as long as it may take; looks at once, and often. */
  public static ConditionFactory await() {
    return Awaitility.await()
        .atMost(PATIENCE_SECONDS, TimeUnit.SECONDS)
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(2));
  }

  /** A handshake has 10 s by default, too little on a busy machine. */
  static SslHandler tls(SslContext context, Channel channel) {
    SslHandler handler = context.newHandler(channel.alloc());
    handler.setHandshakeTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS);
    return handler;
  }

  static ColorEventLoop loop(Channel channel) {
    return (ColorEventLoop) channel.eventLoop();
  }

  /** The handler under which a channel's I/O events are registered. */
  static ReadyHandler readyHandler(Channel channel) throws Exception {
    ColorEventLoop loop = loop(channel);
    return loop.submit(() -> ((Registration) loop.loopRegistrations().get(0)).readyHandler()).get();
  }

  /** Keeps a loop busy until released. */
  static CountDownLatch block(EventExecutor loop) throws InterruptedException {
    CountDownLatch inside = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    loop.execute(
        () -> {
          inside.countDown();
          try {
            release.await();
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
        });
    inside.await();
    return release;
  }

  @Override
  public void close() {
    clients.shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
    group.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
  }

  /** One connection, seen from the client. */
  static final class Client extends ChannelInboundHandlerAdapter {
    private final BlockingQueue<String> lines = new LinkedTransferQueue<>();
    Channel channel;

    /** The server's end. */
    Channel peer;

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      ByteBuf bytes = (ByteBuf) message;
      lines.add(bytes.toString(StandardCharsets.US_ASCII));
      bytes.release();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      ctx.close(); // the server shuts down
    }

    ChannelFuture send(String text) {
      return channel.writeAndFlush(Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII));
    }

    /** Whether anything has come that the test has not yet waited for. */
    boolean hasRead() {
      return !lines.isEmpty();
    }

    /** Waits until this number of characters has come. */
    String await(int length) throws InterruptedException {
      StringBuilder text = new StringBuilder();
      while (text.length() < length) {
        String next = lines.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        assertTrue(next != null, () -> "only '" + text + "' has come");
        text.append(next);
      }
      return text.toString();
    }
  }

  /** Answers with what it reads. */
  static class Echo extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
      ctx.writeAndFlush(message);
    }
  }
}
