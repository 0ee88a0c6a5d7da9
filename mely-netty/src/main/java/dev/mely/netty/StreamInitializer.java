package dev.mely.netty;

import dev.mely.Mely;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerAdapter;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http2.DefaultHttp2ResetFrame;
import io.netty.handler.codec.http2.DefaultHttp2WindowUpdateFrame;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.handler.codec.http2.Http2StreamChannelOption;
import io.netty.handler.flush.FlushConsolidationHandler;
import io.netty.util.ReferenceCountUtil;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Gives each stream of an HTTP/2 connection a color, so that the streams of one connection run on
 * all cores:
 *
 * <pre>{@code
 * pipeline.addLast(Http2FrameCodecBuilder.forServer().build());
 * pipeline.addLast(new Http2MultiplexHandler(new StreamInitializer(handler)));
 * }</pre>
 *
 * <p>The handler is what {@code Http2MultiplexHandler} takes: a {@code
 * ChannelInitializer<Http2StreamChannel>}, or any sharable handler. It, and what it adds, runs in
 * the stream's color, see {@link OffloadHandler}.
 *
 * <p>A stream's window, and that of the connection, are credited with a DATA frame when the frame
 * has been handled, not when it has been received. So a slow handler holds no more bytes than the
 * windows allow; a stream in which 1,000 frames of other kinds wait, or 256 KiB of them, is reset
 * ({@code ENHANCE_YOUR_CALM}). The flushes of the streams are gathered: a {@link
 * FlushConsolidationHandler} is added before the connection's codec, unless there is one.
 *
 * <p>Needs {@code io.netty:netty-codec-http2}. Thread-safe.
 */
@ChannelHandler.Sharable
public final class StreamInitializer extends ChannelInitializer<Channel> {
  private static final int MAX_FLUSHES = 256;

  /** Frames other than DATA that may wait in one stream: no window bounds them. */
  private static final int MAX_OTHER_FRAMES = 1_000;

  private static final int MAX_OTHER_BYTES = 256 << 10;

  private final ChannelHandler handler;
  private final @Nullable Function<? super Http2Headers, ?> key;
  private final @Nullable Mely mely;

  /**
   * Gives each stream a color of its own.
   *
   * @param handler initializer of each stream, or a sharable handler
   * @throws IllegalArgumentException if it cannot be added to more than one stream
   */
  public StreamInitializer(ChannelHandler handler) {
    this(sharable(handler), null, null);
  }

  private static ChannelHandler sharable(ChannelHandler handler) {
    Objects.requireNonNull(handler, "handler");
    if (handler instanceof ChannelHandlerAdapter adapter && !adapter.isSharable()) {
      throw new IllegalArgumentException(
          handler.getClass().getName()
              + " is not @Sharable: give a ChannelInitializer that adds a new one to each stream");
    }
    return handler;
  }

  private StreamInitializer(
      ChannelHandler handler,
      @Nullable Function<? super Http2Headers, ?> key,
      @Nullable Mely mely) {
    this.handler = handler;
    this.key = key;
    this.mely = mely;
  }

  /**
   * Gives streams of equal keys the same color, {@link Mely#color(Object) mely.color(key)}, over
   * all connections.
   *
   * @param newKey of a request's headers, called on the connection's event loop. Null means a color
   *     of the stream's own. If it throws, the exception is logged and the stream is closed
   * @return a new initializer
   */
  @SuppressWarnings("exports") // the module is optional
  public StreamInitializer byKey(Function<? super Http2Headers, ?> newKey) {
    return new StreamInitializer(handler, Objects.requireNonNull(newKey, "newKey"), mely);
  }

  /**
   * Sets the runtime, for connections that are in no {@link MelyEventLoopGroup}.
   *
   * @param runtime to be closed by its owner, after the connections
   * @return a new initializer
   */
  public StreamInitializer on(Mely runtime) {
    return new StreamInitializer(handler, key, Objects.requireNonNull(runtime, "runtime"));
  }

  @Override
  protected void initChannel(Channel stream) {
    Mely unused = OffloadHandler.runtime(mely, stream, "StreamInitializer"); // or it throws
    stream.config().setOption(Http2StreamChannelOption.AUTO_STREAM_FLOW_CONTROL, false);
    gatherFlushes(stream.parent().pipeline());
    if (key == null) {
      stream.pipeline().addLast(offload().headFollows(isRequest(stream)));
    } else {
      stream.pipeline().addLast(new KeyFirst(this, key));
    }
  }

  /** Whether the peer has opened the stream: its headers follow at once. */
  private static boolean isRequest(Channel stream) {
    Http2ConnectionHandler codec = stream.parent().pipeline().get(Http2ConnectionHandler.class);
    return codec != null
        && stream instanceof Http2StreamChannel opened
        && codec.connection().remote().isValidStreamId(opened.stream().id());
  }

  private OffloadHandler offload() {
    OffloadHandler made =
        OffloadHandler.of(handler)
            .maxPending(MAX_OTHER_FRAMES, MAX_OTHER_BYTES)
            .crediting(StreamCredit.INSTANCE);
    return mely == null ? made : made.on(mely);
  }

  private static void gatherFlushes(ChannelPipeline connection) {
    ChannelHandlerContext codec = connection.context(Http2ConnectionHandler.class);
    if (codec != null && connection.get(FlushConsolidationHandler.class) == null) {
      connection.addBefore(codec.name(), null, new FlushConsolidationHandler(MAX_FLUSHES, true));
    }
  }

  /** Chooses the color when the headers of the request are there. */
  private static final class KeyFirst extends ChannelInboundHandlerAdapter {
    private final StreamInitializer owner;
    private final Function<? super Http2Headers, ?> key;

    KeyFirst(StreamInitializer owner, Function<? super Http2Headers, ?> key) {
      this.owner = owner;
      this.key = key;
    }

    @Override
    public void channelRegistered(ChannelHandlerContext ctx) {
      // Told when there is a handler to tell.
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
      // The same.
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      OffloadHandler offload = owner.offload().headFollows(true);
      try {
        Object found = message instanceof Http2HeadersFrame h ? key.apply(h.headers()) : null;
        if (found != null) {
          Mely runtime = OffloadHandler.runtime(owner.mely, ctx.channel(), "StreamInitializer");
          offload.in(runtime.color(found));
        }
      } catch (Throwable t) {
        ReferenceCountUtil.safeRelease(message);
        ctx.fireExceptionCaught(t);
        ChannelFuture unused = ctx.close();
        return;
      }
      ctx.pipeline().addAfter(ctx.name(), null, offload);
      ctx.fireChannelRegistered();
      ctx.fireChannelActive();
      ctx.fireChannelRead(message);
      ctx.pipeline().remove(this);
    }
  }

  /** What DATA frames take of the window. */
  private enum StreamCredit implements Credit {
    INSTANCE;

    @Override
    public int bytesOf(Object message) {
      return message instanceof Http2DataFrame data ? data.initialFlowControlledBytes() : 0;
    }

    @Override
    public Object frame(int bytes) {
      return new DefaultHttp2WindowUpdateFrame(bytes);
    }

    @Override
    public void exceeded(ChannelHandlerContext ctx) {
      ctx.writeAndFlush(new DefaultHttp2ResetFrame(Http2Error.ENHANCE_YOUR_CALM))
          .addListener(
              reset -> {
                ChannelFuture unused = ctx.close(); // not through the color, which may be stuck
              });
    }
  }
}
