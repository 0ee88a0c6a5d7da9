package dev.mely.bench.server;

import dev.mely.netty.StreamInitializer;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.util.concurrent.DefaultEventExecutorGroup;
import io.netty.util.concurrent.EventExecutorGroup;
import io.netty.util.concurrent.NonStickyEventExecutorGroup;
import io.netty.util.concurrent.UnorderedThreadPoolEventExecutor;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/** HTTP/2 with prior knowledge: the path says for how many microseconds to work. */
@SuppressWarnings("deprecation") // addLast with an executor, and what it is for: what is compared
final class Http2Service {
  /** What can run a stream's handler. */
  static final List<Offload> OFFLOADS =
      List.of(
          Offload.STOCK,
          Offload.EXECUTOR_GROUP,
          Offload.NON_STICKY,
          Offload.POOL,
          Offload.VIRTUAL,
          Offload.MELY,
          Offload.MELY_STREAMS);

  private Http2Service() {}

  /** Returns what initializes the pipeline of an accepted connection. */
  static Consumer<Channel> start(Offload offload, int cores) {
    ChannelHandler streams =
        switch (offload) {
          case EXECUTOR_GROUP -> on(new DefaultEventExecutorGroup(cores));
          case NON_STICKY ->
              on(new NonStickyEventExecutorGroup(new UnorderedThreadPoolEventExecutor(cores)));
          case MELY_STREAMS -> new StreamInitializer(new StreamHandler(Runnable::run));
          default -> new StreamHandler(offload.executor(cores));
        };
    return connection ->
        connection
            .pipeline()
            .addLast(
                Http2FrameCodecBuilder.forServer().build(), new Http2MultiplexHandler(streams));
  }

  private static ChannelHandler on(EventExecutorGroup executors) {
    ChannelHandler handler = new StreamHandler(Runnable::run);
    return new ChannelInitializer<Channel>() {
      @Override
      protected void initChannel(Channel stream) {
        stream.pipeline().addLast(executors, handler);
      }
    };
  }

  /** Answers the request of a stream, on an executor. */
  @Sharable
  @SuppressWarnings("FutureReturnValueIgnored") // a stream that is reset needs no answer
  private static final class StreamHandler extends SimpleChannelInboundHandler<Http2HeadersFrame> {
    private final Executor executor;

    StreamHandler(Executor executor) {
      this.executor = executor;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext ctx, Http2HeadersFrame request) {
      CharSequence path = request.headers().path();
      int micros = Integer.parseInt(path, 1, path.length(), 10);
      executor.execute(() -> answer(ctx, micros));
    }

    private static void answer(ChannelHandlerContext ctx, int micros) {
      byte[] body = StreamAnswer.compute(micros);
      Http2Headers headers = new DefaultHttp2Headers().status(HttpResponseStatus.OK.codeAsText());
      ctx.write(new DefaultHttp2HeadersFrame(headers));
      ctx.writeAndFlush(new DefaultHttp2DataFrame(Unpooled.wrappedBuffer(body), true));
    }
  }
}
