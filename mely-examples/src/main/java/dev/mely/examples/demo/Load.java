package dev.mely.examples.demo;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.handler.codec.http2.Http2StreamChannelBootstrap;
import io.netty.handler.codec.http2.Http2StreamFrameToHttpObjectCodec;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import java.io.IOException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * The connections to one server, and turns in which they send requests. A turn lasts 1.15 s, of
 * which a second counts: an answer, if it comes in it; a latency, if its request was due in it.
 * Used by one thread; the requests are on the event loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // failures end the turn, by fail
final class Load implements AutoCloseable {
  /** Until the load is as it stays. */
  static final long BEFORE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  /** The monitor looks a little longer than a second. */
  private static final long AFTER_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /** For answers after the turn. */
  private static final int PATIENCE_SECONDS = 30;

  private static final int LIGHT_MICROS = 10;

  /** Mean time between two requests of a light connection. */
  private static final double LIGHT_GAP_NANOS = 20_000_000;

  private final EventLoop loop;
  private final LoadMain.Order order;
  private final List<Channel> connections = new ArrayList<>();

  // Used by the event loop in turns; between them, and before the first, by the caller's thread.
  private final List<Line> lines = new ArrayList<>();
  private final List<Line> lights = new ArrayList<>();
  private final SplittableRandom random = new SplittableRandom(2010);
  private @Nullable Promise<Result> turn;
  private Histogram busyTimes = Result.histogram();
  private Histogram lightTimes = Result.histogram();
  private long begin;
  private long end;
  private long stop;
  private boolean stopped;
  private long nextLight;
  private long answers;

  /** Requests that are to be answered in the turn. */
  private long open;

  /**
   * Connects, one connection after the other: so the server's event loops take turns in their
   * order.
   */
  Load(EventLoop loop, LoadMain.Order order) throws IOException, InterruptedException {
    this.loop = loop;
    this.order = order;
    Settings settings = order.settings();
    if (settings.streams() > 0) {
      Channel connection = connectHttp2();
      for (int i = 0; i < settings.streams(); i++) {
        addStreams(connection, settings.work());
      }
    } else {
      for (boolean busy : Placement.busy(settings)) {
        Line.Kind kind = busy ? Line.Kind.BUSY : Line.Kind.LIGHT;
        addConnection(kind, WorkHandler.work(order.key(), busy ? settings.work() : LIGHT_MICROS));
      }
      if (settings.block() > 0) {
        addConnection(Line.Kind.BLOCKING, WorkHandler.block(order.key(), settings.block()));
      }
    }
    for (Line line : lines) {
      if (line.kind() == Line.Kind.LIGHT) {
        lights.add(line);
      }
    }
  }

  LoadMain.Order order() {
    return order;
  }

  // ---- Connections

  private void addConnection(Line.Kind kind, String path) throws IOException, InterruptedException {
    Channel connection =
        connect(order.ports().http(), channel -> channel.pipeline().addLast(new HttpClientCodec()));
    Line line = new Line(kind, path, this, request -> send(connection, request));
    connection.pipeline().addLast(line);
    lines.add(line);
  }

  private Channel connectHttp2() throws IOException, InterruptedException {
    return connect(
        order.ports().http2(),
        channel ->
            channel
                .pipeline()
                .addLast(Http2FrameCodecBuilder.forClient().build())
                .addLast(new Http2MultiplexHandler(new ChannelInboundHandlerAdapter()))
                .addLast(new Failing()));
  }

  private void addStreams(Channel connection, int work) {
    Http2StreamChannelBootstrap streams = new Http2StreamChannelBootstrap(connection);
    Line line =
        new Line(
            Line.Kind.BUSY,
            WorkHandler.work(order.key(), work),
            this,
            request ->
                streams.open().addListener((Future<Http2StreamChannel> s) -> send(s, request)));
    streams.handler(
        new ChannelInitializer<Channel>() {
          @Override
          protected void initChannel(Channel stream) {
            stream.pipeline().addLast(new Http2StreamFrameToHttpObjectCodec(false), line);
          }
        });
    lines.add(line);
  }

  private void send(Future<Http2StreamChannel> stream, FullHttpRequest request) {
    if (stream.isSuccess()) {
      send(stream.getNow(), request);
    } else {
      fail(stream.cause());
    }
  }

  private void send(Channel channel, FullHttpRequest request) {
    channel
        .writeAndFlush(request)
        .addListener(
            sent -> {
              if (!sent.isSuccess()) {
                fail(sent.cause());
              }
            });
  }

  private Channel connect(int port, Consumer<Channel> initializer)
      throws IOException, InterruptedException {
    Channel connection =
        new Bootstrap()
            .group(loop)
            .channel(Epoll.isAvailable() ? EpollSocketChannel.class : NioSocketChannel.class)
            .option(ChannelOption.TCP_NODELAY, true)
            .handler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    initializer.accept(channel);
                  }
                })
            .connect(InetAddress.getLoopbackAddress(), port)
            .sync()
            .channel();
    connections.add(connection);
    connection
        .closeFuture()
        .addListener(closed -> fail(new IOException("the server has closed a connection")));
    return connection;
  }

  // ---- Turns

  /**
   * Loads the server for a turn, and waits for the last answers.
   *
   * @throws IOException if a request fails
   */
  Result run() throws IOException, InterruptedException {
    Promise<Result> result = loop.newPromise();
    loop.execute(() -> begin(result));
    if (!result.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
      throw new IOException("requests have had no answer for " + PATIENCE_SECONDS + " s");
    }
    if (!result.isSuccess()) {
      throw new IOException(result.cause().getMessage(), result.cause());
    }
    return result.getNow();
  }

  private void begin(Promise<Result> result) {
    turn = result;
    busyTimes = Result.histogram();
    lightTimes = Result.histogram();
    answers = 0;
    open = 0;
    stopped = false;
    long now = System.nanoTime();
    begin = now + BEFORE_NANOS;
    end = begin + SECOND;
    stop = end + AFTER_NANOS;
    nextLight = now;
    for (Line line : lines) {
      if (line.kind() != Line.Kind.LIGHT) {
        ask(line, now);
      }
    }
    askLights();
    loop.schedule(this::stop, stop - now, TimeUnit.NANOSECONDS);
  }

  private void ask(Line line, long due) {
    open++;
    line.ask(due);
  }

  /** Requests of independent light connections: any of them, after an exponential time. */
  private void askLights() {
    if (lights.isEmpty()) {
      return;
    }
    long now = System.nanoTime();
    while (nextLight - now <= 0 && nextLight - stop < 0) {
      ask(lights.get(random.nextInt(lights.size())), nextLight);
      nextLight += (long) (-Math.log(1 - random.nextDouble()) * LIGHT_GAP_NANOS / lights.size());
    }
    if (nextLight - stop < 0) {
      loop.schedule(this::askLights, nextLight - System.nanoTime(), TimeUnit.NANOSECONDS);
    }
  }

  private void stop() {
    stopped = true;
    settle();
  }

  /** A line has an answer to a request that was due then. */
  void answered(Line line, long due) {
    long now = System.nanoTime();
    open--;
    if (line.kind() == Line.Kind.BUSY && isCounted(now)) {
      answers++;
    }
    if (line.kind() != Line.Kind.BLOCKING && isCounted(due)) {
      Histogram times = line.kind() == Line.Kind.BUSY ? busyTimes : lightTimes;
      times.recordValue(TimeUnit.NANOSECONDS.toMicros(now - due));
    }
    if (line.kind() != Line.Kind.LIGHT && !stopped) {
      ask(line, now);
    }
    settle();
  }

  private boolean isCounted(long time) {
    return time - begin >= 0 && time - end < 0;
  }

  private void settle() {
    if (stopped && open == 0 && turn != null) {
      turn.trySuccess(new Result(answers, Result.encode(busyTimes), Result.encode(lightTimes)));
    }
  }

  /** The turn fails, if there is one; a later one will find out itself. */
  void fail(Throwable cause) {
    if (turn != null) {
      turn.tryFailure(cause);
    }
  }

  @Override
  public void close() {
    for (Channel connection : connections) {
      connection.close().awaitUninterruptibly();
    }
  }

  /** What goes wrong with a connection of which each stream has a {@link Line}. */
  private final class Failing extends ChannelInboundHandlerAdapter {
    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      fail(cause);
      ctx.close();
    }
  }
}
