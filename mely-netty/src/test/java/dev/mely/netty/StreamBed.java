package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.Color;
import dev.mely.Mely;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2FrameCodec;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.handler.codec.http2.Http2StreamChannelBootstrap;
import io.netty.handler.codec.http2.Http2StreamFrame;
import java.net.InetSocketAddress;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** An HTTP/2 server on the group under test, and Netty's own client on a group of Netty's own. */
final class StreamBed implements AutoCloseable {
  static final int MANY = 1 << 20;

  final MelyEventLoopGroup group;
  final Channel server;

  /** Counts what the server's connections hold. */
  final UnpooledByteBufAllocator memory = new UnpooledByteBufAllocator(true);

  /** The server's ends, in the order of their arrival. */
  private final BlockingQueue<Channel> accepted = new LinkedTransferQueue<>();

  private final MultiThreadIoEventLoopGroup clients =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());

  /**
   * @param streams the handler of each stream, as {@link Http2MultiplexHandler} takes it
   * @param atSocket handlers of a connection between the socket and the codec
   */
  StreamBed(
      MelyEventLoopGroup group,
      ChannelHandler streams,
      Function<Channel, ChannelHandler[]> atSocket)
      throws Exception {
    this.group = group;
    server =
        new ServerBootstrap()
            .group(group)
            .channel(group.serverSocketChannelType())
            .childOption(ChannelOption.ALLOCATOR, memory)
            .childHandler(
                new ChannelInitializer<>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    channel.pipeline().addLast(atSocket.apply(channel));
                    channel.pipeline().addLast(codec(), new Http2MultiplexHandler(streams));
                    accepted.add(channel);
                  }
                })
            .bind(new InetSocketAddress("127.0.0.1", 0))
            .sync()
            .channel();
  }

  StreamBed(MelyEventLoopGroup group, ChannelHandler streams) throws Exception {
    this(group, streams, channel -> new ChannelHandler[0]);
  }

  private static Http2FrameCodec codec() {
    return Http2FrameCodecBuilder.forServer()
        .initialSettings(Http2Settings.defaultSettings().maxConcurrentStreams(MANY))
        .decoderEnforceMaxRstFramesPerWindow(MANY, 1)
        .build();
  }

  Mely mely() {
    return group.mely();
  }

  /** The server's end of the connection that has come next. */
  Channel accepted() throws InterruptedException {
    Channel channel = accepted.poll(Harness.PATIENCE_SECONDS, TimeUnit.SECONDS);
    assertTrue(channel != null, "accepted");
    return channel;
  }

  /** A connection of Netty's own client. */
  Channel connect() throws Exception {
    return new Bootstrap()
        .group(clients)
        .channel(NioSocketChannel.class)
        .handler(
            new ChannelInitializer<>() {
              @Override
              protected void initChannel(Channel channel) {
                channel
                    .pipeline()
                    .addLast(
                        Http2FrameCodecBuilder.forClient().build(),
                        new Http2MultiplexHandler(new ChannelInboundHandlerAdapter()));
              }
            })
        .connect(server.localAddress())
        .sync()
        .channel();
  }

  /** A stream of Netty's own client. */
  static Http2StreamChannel open(Channel connection, ChannelHandler handler) throws Exception {
    return new Http2StreamChannelBootstrap(connection).handler(handler).open().sync().getNow();
  }

  /** How many bytes of the connection's window are taken by data that is not credited. */
  static int uncredited(Channel connection) throws Exception {
    Http2Connection http2 = connection.pipeline().get(Http2FrameCodec.class).connection();
    return connection
        .eventLoop()
        .submit(() -> http2.local().flowController().unconsumedBytes(http2.connectionStream()))
        .get(Harness.PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  /** How many streams the connection has. */
  static int streams(Channel connection) throws Exception {
    Http2Connection http2 = connection.pipeline().get(Http2FrameCodec.class).connection();
    return connection
        .eventLoop()
        .submit(http2::numActiveStreams)
        .get(Harness.PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  /** Answers a request: headers, and the body with the end of the stream. */
  static ChannelFuture answer(ChannelHandlerContext ctx, int bytes) {
    answerHeaders(ctx);
    return ctx.writeAndFlush(body(bytes, true));
  }

  static void answerHeaders(ChannelHandlerContext ctx) {
    ctx.write(new DefaultHttp2HeadersFrame(new DefaultHttp2Headers().status("200")));
  }

  static Http2DataFrame body(int bytes, boolean end) {
    return new DefaultHttp2DataFrame(Unpooled.wrappedBuffer(new byte[bytes]), end);
  }

  static boolean isEnd(Http2StreamFrame frame) {
    return frame instanceof Http2HeadersFrame headers && headers.isEndStream()
        || frame instanceof Http2DataFrame data && data.isEndStream();
  }

  /** Keeps a color busy until released. */
  CountDownLatch block(Color color) throws InterruptedException {
    CountDownLatch inside = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    mely()
        .execute(
            color,
            () -> {
              inside.countDown();
              await(release);
            });
    await(inside);
    return release;
  }

  static void await(CountDownLatch latch) {
    try {
      assertTrue(latch.await(Harness.PATIENCE_SECONDS, TimeUnit.SECONDS), "a latch is open");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    clients.shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
    group.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
  }
}
