package dev.mely.bench.server;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.handler.codec.http2.Http2StreamChannelBootstrap;
import io.netty.handler.codec.http2.Http2StreamFrame;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A client of HTTP/2: requests on streams of one connection, all at a time. */
final class Http2Requests implements AutoCloseable {
  private static final int PATIENCE_SECONDS = 60;

  private final EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final Channel connection;
  private final Map<String, CompletableFuture<byte[]>> answers = new HashMap<>();

  /** Connects. */
  Http2Requests(int port) throws InterruptedException {
    connection =
        new Bootstrap()
            .group(loop)
            .channel(NioSocketChannel.class)
            .handler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    channel
                        .pipeline()
                        .addLast(
                            Http2FrameCodecBuilder.forClient().build(),
                            new Http2MultiplexHandler(new ChannelInboundHandlerAdapter()));
                  }
                })
            .connect(InetAddress.getLoopbackAddress(), port)
            .sync()
            .channel();
  }

  /** Sends a request. */
  void ask(String path) throws Exception {
    Answer answer = new Answer();
    answers.put(path, answer.body);
    Http2StreamChannel stream =
        new Http2StreamChannelBootstrap(connection).handler(answer).open().sync().getNow();
    stream
        .writeAndFlush(
            new DefaultHttp2HeadersFrame(
                new DefaultHttp2Headers().method("GET").scheme("http").authority("x").path(path),
                true))
        .sync();
  }

  /** Waits for the body of the response to a request; its status is 200. */
  byte[] body(String path) throws Exception {
    return Objects.requireNonNull(answers.get(path)).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  @Override
  public void close() {
    connection.close().syncUninterruptibly();
    loop.shutdownGracefully(0, 1, TimeUnit.SECONDS)
        .awaitUninterruptibly(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  private static final class Answer extends SimpleChannelInboundHandler<Http2StreamFrame> {
    private final CompletableFuture<byte[]> body = new CompletableFuture<>();
    private final ByteArrayOutputStream received = new ByteArrayOutputStream();
    private int statuses;

    @Override
    protected void channelRead0(ChannelHandlerContext ctx, Http2StreamFrame frame)
        throws IOException {
      if (frame instanceof Http2HeadersFrame headers) {
        statuses += "200".contentEquals(headers.headers().status()) ? 1 : 2;
      } else if (frame instanceof Http2DataFrame data) {
        received.write(ByteBufUtil.getBytes(data.content()));
        if (data.isEndStream()) {
          if (statuses == 1) {
            body.complete(received.toByteArray());
          } else {
            body.completeExceptionally(new IOException("not one status of 200"));
          }
        }
      }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
      body.completeExceptionally(new IOException("the stream has ended")); // unless complete
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      body.completeExceptionally(cause);
    }
  }
}
