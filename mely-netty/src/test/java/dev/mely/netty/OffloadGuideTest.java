package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.handler.codec.http2.Http2StreamChannelBootstrap;
import io.netty.handler.codec.string.StringDecoder;
import io.netty.handler.codec.string.StringEncoder;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** docs/netty.md: off-loaded handlers, HTTP/2, keys. See {@link GuideTest}. */
@Timeout(300)
class OffloadGuideTest {
  static class RenderHandler extends SimpleChannelInboundHandler<String> {
    @Override
    protected void channelRead0(ChannelHandlerContext ctx, String page) {
      assertTrue(ctx.channel().eventLoop().inEventLoop());
      ctx.writeAndFlush(render(page));
    }
  }

  static class RequestHandler extends SimpleChannelInboundHandler<Http2HeadersFrame> {
    @Override
    protected void channelRead0(ChannelHandlerContext ctx, Http2HeadersFrame request) {
      assertTrue(ctx.channel() instanceof Http2StreamChannel);
      assertTrue(ctx.executor().inEventLoop());
      DefaultHttp2Headers headers = new DefaultHttp2Headers();
      headers.status("200").set("color", String.valueOf(ctx.channel().eventLoop()));
      ctx.writeAndFlush(new DefaultHttp2HeadersFrame(headers, true));
    }
  }

  private static String render(Object page) {
    return "<" + page + ">\n";
  }

  private static void handler(ChannelPipeline pipeline) {
    pipeline.addLast(new StringDecoder(), new StringEncoder());
    pipeline.addLast(OffloadHandler.of(new RenderHandler()));
  }

  private static void function(ChannelPipeline pipeline) {
    pipeline.addLast(new StringDecoder(), new StringEncoder());
    pipeline.addLast(OffloadHandler.of((ctx, page) -> ctx.writeAndFlush(render(page))));
  }

  private static void keyed(ChannelPipeline pipeline) {
    pipeline.addLast(new StringDecoder(), new StringEncoder());
    pipeline.addLast(
        new KeyedHandler(page -> page, (ctx, page) -> ctx.writeAndFlush(render(page))));
  }

  @Test
  void pagesAreRenderedBesideTheirChannel() throws Exception {
    List<Consumer<ChannelPipeline>> forms =
        List.of(OffloadGuideTest::handler, OffloadGuideTest::function, OffloadGuideTest::keyed);
    for (Consumer<ChannelPipeline> form : forms) {
      MelyEventLoopGroup group = MelyEventLoopGroup.builder().cores(2).build();
      try {
        InetSocketAddress address = bind(new ServerBootstrap(), group, form);
        try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
          socket.setSoTimeout(120_000);
          socket.getOutputStream().write("index".getBytes(StandardCharsets.US_ASCII));
          BufferedReader lines =
              new BufferedReader(
                  new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
          assertEquals("<index>", lines.readLine());
        }
      } finally {
        group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
      }
    }
  }

  private static final class Order {
    final CountDownLatch cancelled = new CountDownLatch(1);

    void cancel() {
      cancelled.countDown();
    }
  }

  @Test
  void aKeyIsOneColor() throws Exception {
    MelyEventLoopGroup group = MelyEventLoopGroup.builder().cores(1).build();
    try {
      Order order = new Order();
      group.mely().execute(group.color("4711"), order::cancel);
      assertTrue(order.cancelled.await(60, TimeUnit.SECONDS));
      assertSame(group.color("4711"), group.mely().color("4711"));
    } finally {
      group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    }
  }

  private static InetSocketAddress bind(
      ServerBootstrap bootstrap, MelyEventLoopGroup group, Consumer<ChannelPipeline> form)
      throws InterruptedException {
    bootstrap
        .group(group)
        .channel(group.serverSocketChannelType())
        .childHandler(
            new ChannelInitializer<SocketChannel>() {
              @Override
              protected void initChannel(SocketChannel channel) {
                form.accept(channel.pipeline());
              }
            });
    return (InetSocketAddress)
        bootstrap
            .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .sync()
            .channel()
            .localAddress();
  }

  private static void streams(ChannelPipeline pipeline) {
    pipeline.addLast(Http2FrameCodecBuilder.forServer().build());
    pipeline.addLast(new Http2MultiplexHandler(new StreamInitializer(new RequestInitializer())));
  }

  private static void streamsByKey(ChannelPipeline pipeline) {
    pipeline.addLast(Http2FrameCodecBuilder.forServer().build());
    StreamInitializer streams =
        new StreamInitializer(new RequestInitializer()).byKey(headers -> headers.get("order"));
    pipeline.addLast(new Http2MultiplexHandler(streams));
  }

  static class RequestInitializer extends ChannelInitializer<Http2StreamChannel> {
    @Override
    protected void initChannel(Http2StreamChannel stream) {
      stream.pipeline().addLast(new RequestHandler());
    }
  }

  @Test
  void eachStreamHasAColor() throws Exception {
    List<String> own = colors(OffloadGuideTest::streams);
    assertEquals(2, own.stream().distinct().count(), own::toString);
    List<String> keyed = colors(OffloadGuideTest::streamsByKey);
    assertEquals(1, keyed.stream().distinct().count(), keyed::toString);
  }

  /** The colors that serve two streams of one connection. */
  private static List<String> colors(Consumer<ChannelPipeline> form) throws Exception {
    MelyEventLoopGroup group = MelyEventLoopGroup.builder().cores(1).build();
    EventLoopGroup clients = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    BlockingQueue<String> answers = new LinkedTransferQueue<>();
    try {
      InetSocketAddress address = bind(new ServerBootstrap(), group, form);
      Channel connection = connect(clients, address);
      List<String> colors = new ArrayList<>();
      List<Http2StreamChannel> streams = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        Http2StreamChannel stream =
            new Http2StreamChannelBootstrap(connection)
                .handler(
                    new ChannelInboundHandlerAdapter() {
                      @Override
                      public void channelRead(ChannelHandlerContext ctx, Object frame) {
                        Http2HeadersFrame answer = (Http2HeadersFrame) frame;
                        answers.add(answer.headers().get("color").toString());
                      }
                    })
                .open()
                .sync()
                .getNow();
        streams.add(stream);
        DefaultHttp2Headers headers = new DefaultHttp2Headers();
        headers.method("POST").path("/").scheme("http").set("order", "4711");
        stream.writeAndFlush(new DefaultHttp2HeadersFrame(headers, false)).sync();
        String color = answers.poll(60, TimeUnit.SECONDS);
        assertNotNull(color);
        colors.add(color.replaceAll("\\[.*", ""));
      }
      for (Http2StreamChannel stream : streams) {
        stream.close().sync();
      }
      return colors;
    } finally {
      clients.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
      group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    }
  }

  private static Channel connect(EventLoopGroup clients, InetSocketAddress address)
      throws InterruptedException {
    return new Bootstrap()
        .group(clients)
        .channel(NioSocketChannel.class)
        .handler(
            new ChannelInitializer<SocketChannel>() {
              @Override
              protected void initChannel(SocketChannel channel) {
                channel
                    .pipeline()
                    .addLast(
                        Http2FrameCodecBuilder.forClient().build(),
                        new Http2MultiplexHandler(new ChannelInboundHandlerAdapter()));
              }
            })
        .connect(address)
        .sync()
        .channel();
  }
}
