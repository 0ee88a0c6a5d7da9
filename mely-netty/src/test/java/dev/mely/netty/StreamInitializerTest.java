package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.Migrating;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.handler.codec.http2.Http2StreamFrameToHttpObjectCodec;
import io.netty.handler.flush.FlushConsolidationHandler;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Streams of one connection are handled on all cores, each in a color of its own. */
@Timeout(300)
class StreamInitializerTest {
  private static final int FRAME = 50;

  private static MelyEventLoopGroup migrating(Io io, long seed) {
    return io.builder().cores(3).runtime(Migrating.by(seed)).build();
  }

  private static MelyEventLoopGroup group() {
    return Io.NIO.builder().cores(3).build();
  }

  @ParameterizedTest
  @EnumSource
  void streamsOfOneConnectionRunAtTheSameTime(Io io) throws Exception {
    CountDownLatch inside = new CountDownLatch(2);
    StreamRecorder streams =
        new StreamRecorder(
            (ctx, frame) -> {
              inside.countDown();
              StreamBed.await(inside);
              StreamBed.answer(ctx, 10);
            });
    try (StreamBed bed =
            new StreamBed(io.builder().cores(2).build(), new StreamInitializer(streams));
        RawHttp2Client client = new RawHttp2Client(bed.server)) {
      client.headers(1, true).headers(3, true).flush();
      client.awaitEnd(1);
      client.awaitEnd(3);
      streams.awaitLife(1, "active", "headers end", "inactive", "unregistered");
      streams.awaitLife(3, "active", "headers end", "inactive", "unregistered");
      streams.assertNoFaults();
    }
  }

  /** Bytes come back in their order, though each activation is on another core. */
  @ParameterizedTest
  @EnumSource
  void bytesOfAStreamKeepTheirOrder(Io io) throws Exception {
    int streams = 24;
    int frames = 300;
    Map<Integer, Sequence> arrived = new ConcurrentHashMap<>();
    Queue<String> faults = new ConcurrentLinkedQueue<>();
    StreamRecorder recorder =
        new StreamRecorder(
            (ctx, frame) -> {
              if (frame instanceof Http2DataFrame data) {
                arrived
                    .computeIfAbsent(frame.stream().id(), id -> new Sequence("server", faults))
                    .check(data.content());
                ctx.writeAndFlush(
                    new DefaultHttp2DataFrame(data.content().retainedSlice(), data.isEndStream()));
              } else {
                StreamBed.answerHeaders(ctx);
              }
            });
    try (StreamBed bed = new StreamBed(migrating(io, 17), new StreamInitializer(recorder))) {
      Channel connection = bed.connect();
      CountDownLatch done = new CountDownLatch(streams);
      List<Http2StreamChannel> opened = new ArrayList<>();
      for (int i = 0; i < streams; i++) {
        opened.add(StreamBed.open(connection, new Reader(frames * FRAME, faults, done)));
      }
      for (Http2StreamChannel stream : opened) {
        stream.write(new DefaultHttp2HeadersFrame(RawHttp2Client.post()));
      }
      for (int i = 0; i < frames; i++) {
        byte[] bytes = Sequence.bytes(i * FRAME, FRAME);
        for (Http2StreamChannel stream : opened) {
          stream.writeAndFlush(
              new DefaultHttp2DataFrame(Unpooled.wrappedBuffer(bytes), i == frames - 1),
              stream.voidPromise());
        }
      }
      StreamBed.await(done);
      recorder.awaitEnds(streams);
      assertEquals(List.of(), List.copyOf(faults));
      // Not every one: where a single worker gets the CPU for a while, it steals everything.
      assertTrue(recorder.moved() > 0, () -> recorder.moved() + " streams have moved");
    }
  }

  /** Bytes that tell their position. */
  private static final class Sequence {
    private final String end;
    private final Queue<String> faults;
    private int next;

    Sequence(String end, Queue<String> faults) {
      this.end = end;
      this.faults = faults;
    }

    static byte at(int position) {
      return (byte) (position * 31 + (position >> 8));
    }

    static byte[] bytes(int position, int length) {
      byte[] made = new byte[length];
      for (int i = 0; i < length; i++) {
        made[i] = at(position + i);
      }
      return made;
    }

    void check(ByteBuf content) {
      byte[] bytes = ByteBufUtil.getBytes(content);
      if (!Arrays.equals(bytes, bytes(next, bytes.length))) {
        faults.add(end + ": other bytes at " + next);
      }
      next += bytes.length;
    }
  }

  /** Checks what comes back. */
  private static final class Reader extends ChannelInboundHandlerAdapter {
    private final int expected;
    private final Queue<String> faults;
    private final CountDownLatch done;
    private final Sequence sequence;

    Reader(int expected, Queue<String> faults, CountDownLatch done) {
      this.expected = expected;
      this.faults = faults;
      this.done = done;
      this.sequence = new Sequence("client", faults);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      if (message instanceof Http2DataFrame data) {
        sequence.check(data.content());
        if (data.isEndStream()) {
          if (sequence.next != expected) {
            faults.add("client: " + sequence.next + " bytes");
          }
          done.countDown();
        }
      }
      ReferenceCountUtil.release(message);
    }
  }

  /** What most users have: an initializer with an HTTP codec in it, and Netty's own client. */
  @ParameterizedTest
  @EnumSource
  void handlersOfHttpObjectsWorkInside(Io io) throws Exception {
    Queue<Channel> parents = new ConcurrentLinkedQueue<>();
    ChannelInitializer<Http2StreamChannel> handlers =
        new ChannelInitializer<>() {
          @Override
          protected void initChannel(Http2StreamChannel channel) {
            channel
                .pipeline()
                .addLast(
                    new Http2StreamFrameToHttpObjectCodec(true),
                    new HttpObjectAggregator(1 << 20),
                    new SimpleChannelInboundHandler<FullHttpRequest>() {
                      @Override
                      protected void channelRead0(ChannelHandlerContext ctx, FullHttpRequest in) {
                        assertTrue(ctx.channel() instanceof Http2StreamChannel);
                        parents.add(ctx.channel().parent());
                        FullHttpResponse out =
                            new DefaultFullHttpResponse(
                                HttpVersion.HTTP_1_1, HttpResponseStatus.OK, in.content().retain());
                        ctx.writeAndFlush(out);
                      }
                    });
          }
        };
    try (StreamBed bed = new StreamBed(migrating(io, 5), new StreamInitializer(handlers))) {
      Channel connection = bed.connect();
      Channel accepted = bed.accepted();
      List<CompletableFuture<Integer>> answers = new ArrayList<>();
      for (int i = 0; i < 10; i++) {
        CompletableFuture<Integer> answer = new CompletableFuture<>();
        answers.add(answer);
        Http2StreamChannel stream =
            StreamBed.open(
                connection,
                new ChannelInitializer<>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    channel
                        .pipeline()
                        .addLast(
                            new Http2StreamFrameToHttpObjectCodec(false),
                            new HttpObjectAggregator(1 << 20),
                            new Answered(answer));
                  }
                });
        FullHttpRequest request =
            new DefaultFullHttpRequest(
                HttpVersion.HTTP_1_1,
                HttpMethod.POST,
                "/",
                Unpooled.wrappedBuffer(new byte[50_000 + i]));
        request.headers().set(HttpHeaderNames.HOST, "test");
        stream.writeAndFlush(request);
      }
      for (int i = 0; i < 10; i++) {
        int bytes = answers.get(i).get(Harness.PATIENCE_SECONDS, TimeUnit.SECONDS);
        assertEquals(50_000 + i, bytes);
      }
      assertEquals(10, parents.size());
      parents.forEach(parent -> assertEquals(accepted, parent));
      Harness.await().until(() -> StreamBed.streams(accepted) == 0);
    }
  }

  private static final class Answered extends SimpleChannelInboundHandler<FullHttpResponse> {
    private final CompletableFuture<Integer> answer;

    Answered(CompletableFuture<Integer> answer) {
      this.answer = answer;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext ctx, FullHttpResponse response) {
      answer.complete(response.content().readableBytes());
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      answer.completeExceptionally(cause);
    }
  }

  /** Streams of two connections and bare events, one key: never two at a time. */
  @ParameterizedTest
  @EnumSource
  void whatHasOneKeyIsNeverInParallel(Io io) throws Exception {
    int streams = 8;
    int frames = 40;
    int events = 10;
    Alone alone = new Alone();
    StreamRecorder.Reaction reaction =
        (ctx, frame) -> {
          if (frame.stream().id() < 1 + 2 * streams) {
            alone.run();
          }
          if (StreamBed.isEnd(frame)) {
            StreamBed.answer(ctx, 1);
          }
        };
    // Streams are known by their number, which two connections share.
    ChannelInitializer<Http2StreamChannel> handlers =
        new ChannelInitializer<>() {
          @Override
          protected void initChannel(Http2StreamChannel channel) {
            new StreamRecorder(reaction).initChannel(channel);
          }
        };
    try (StreamBed bed =
            new StreamBed(
                migrating(io, 3),
                new StreamInitializer(handlers).byKey(headers -> headers.path().toString()));
        RawHttp2Client a = new RawHttp2Client(bed.server);
        RawHttp2Client b = new RawHttp2Client(bed.server)) {
      List<RawHttp2Client> clients = List.of(a, b);
      CountDownLatch busy = bed.block(bed.mely().color("/4711"));
      for (RawHttp2Client client : clients) {
        for (int s = 0; s < streams; s++) {
          client.headers(1 + 2 * s, false, RawHttp2Client.post().path("/4711"));
        }
        client.flush();
      }
      for (RawHttp2Client client : clients) {
        int other = 1 + 2 * streams;
        client.headers(other, true, RawHttp2Client.post().path("/4712")).flush();
        client.awaitEnd(other);
      }
      assertEquals(0, alone.atomic.get(), "beside a bare event of the key");
      busy.countDown();
      for (int i = 0; i < frames; i++) {
        for (int e = 0; e < events; e++) {
          bed.mely().execute(bed.mely().color("/4711"), alone::run);
        }
        for (RawHttp2Client client : clients) {
          for (int s = 0; s < streams; s++) {
            client.data(1 + 2 * s, 10, i == frames - 1);
          }
          client.flush();
        }
      }
      for (RawHttp2Client client : clients) {
        for (int s = 0; s < streams; s++) {
          client.awaitEnd(1 + 2 * s);
        }
      }
      int expected = events * frames + clients.size() * streams * (1 + frames);
      Harness.await().until(() -> alone.atomic.get() == expected);
      assertEquals(List.of(), List.copyOf(alone.faults));
      assertEquals(expected, bed.mely().submit(bed.mely().color("/4711"), () -> alone.plain).get());
    }
  }

  /** Notices when it is not alone. */
  private static final class Alone {
    private final AtomicInteger inside = new AtomicInteger();
    private final AtomicInteger atomic = new AtomicInteger();
    private final Queue<String> faults = new ConcurrentLinkedQueue<>();

    /** Not atomic on purpose. */
    private int plain;

    void run() {
      if (inside.incrementAndGet() != 1) {
        faults.add("not alone: " + Thread.currentThread());
      }
      plain++;
      Thread.yield();
      if (atomic.incrementAndGet() != plain) {
        faults.add("an earlier one is not visible");
      }
      inside.decrementAndGet();
    }
  }

  /** Such a stream is reset; it has no color. One whose key is null has a color of its own. */
  @Test
  void aKeyFunctionMayFail() throws Exception {
    StreamRecorder streams =
        new StreamRecorder(
            (ctx, frame) -> {
              if (StreamBed.isEnd(frame)) {
                StreamBed.answer(ctx, 10);
              }
            });
    try (StreamBed bed =
            new StreamBed(
                group(),
                new StreamInitializer(streams)
                    .byKey(
                        headers -> {
                          String path = headers.path().toString();
                          if (path.equals("/bad")) {
                            throw new IllegalArgumentException("planted");
                          }
                          return path.equals("/none") ? null : path;
                        }));
        RawHttp2Client client = new RawHttp2Client(bed.server)) {
      Channel connection = bed.accepted();
      client.headers(1, false, RawHttp2Client.post().path("/bad")).data(1, 100, false);
      client.headers(3, false, RawHttp2Client.post().path("/none")).data(3, 100, true);
      client.headers(5, false, RawHttp2Client.post().path("/good")).data(5, 100, true);
      client.headers(7, true, RawHttp2Client.post().path("/bad")).flush();
      client.awaitReset(1);
      client.awaitReset(7);
      client.awaitEnd(3);
      client.awaitEnd(5);
      for (int stream : List.of(3, 5)) {
        streams.awaitLife(stream, "active", "headers", "data 100 end", "inactive", "unregistered");
      }
      for (int stream : List.of(1, 7)) {
        assertTrue(
            streams.events(stream).stream().noneMatch(e -> e.startsWith("headers")),
            () -> "stream " + stream + ": " + streams.events(stream));
      }
      Harness.await().until(() -> StreamBed.streams(connection) == 0);
      assertEquals(0, StreamBed.uncredited(connection));
      streams.assertNoFaults();
    }
  }

  /** Counts the flushes that reach the socket. */
  private static final class FlushCounter extends ChannelDuplexHandler {
    private final AtomicInteger flushes = new AtomicInteger();

    @Override
    public void flush(ChannelHandlerContext ctx) {
      flushes.incrementAndGet();
      ctx.flush();
    }
  }

  @Test
  void answersOfATurnAreFlushedTogether() throws Exception {
    int streams = 100;
    FlushCounter counter = new FlushCounter();
    CountDownLatch answered = new CountDownLatch(streams);
    Queue<ChannelHandlerContext> waiting = new ConcurrentLinkedQueue<>();
    StreamRecorder recorder = new StreamRecorder((ctx, frame) -> waiting.add(ctx));
    try (StreamBed bed =
            new StreamBed(
                group(),
                new StreamInitializer(recorder),
                channel -> new ChannelHandler[] {counter});
        RawHttp2Client client = new RawHttp2Client(bed.server)) {
      Channel connection = bed.accepted();
      for (int s = 0; s < streams; s++) {
        client.headers(1 + 2 * s, true);
      }
      client.flush();
      Harness.await().until(() -> waiting.size() == streams);
      CountDownLatch loop = Harness.block(connection.eventLoop());
      int before = counter.flushes.get();
      for (ChannelHandlerContext ctx : waiting) {
        ctx.executor()
            .execute(
                () -> {
                  StreamBed.answer(ctx, 10);
                  answered.countDown();
                });
      }
      StreamBed.await(answered);
      loop.countDown();
      for (int s = 0; s < streams; s++) {
        client.awaitEnd(1 + 2 * s);
      }
      int flushes = counter.flushes.get() - before;
      assertTrue(flushes > 0 && flushes < streams / 2, () -> flushes + " flushes");
      recorder.awaitEnds(streams);
    }
  }

  @Test
  void oneConsolidationIsAddedToAConnection() throws Exception {
    StreamRecorder streams = new StreamRecorder((ctx, frame) -> StreamBed.answer(ctx, 10));
    try (StreamBed bed = new StreamBed(group(), new StreamInitializer(streams));
        RawHttp2Client client = new RawHttp2Client(bed.server)) {
      Channel connection = bed.accepted();
      for (int stream = 1; stream < 20; stream += 2) {
        client.headers(stream, true).flush();
        client.awaitEnd(stream);
      }
      List<String> names = new ArrayList<>();
      for (Map.Entry<String, ChannelHandler> entry : connection.pipeline()) {
        names.add(entry.getValue().getClass().getSimpleName());
      }
      assertEquals(1, names.stream().filter("FlushConsolidationHandler"::equals).count());
      assertTrue(
          names.indexOf("FlushConsolidationHandler") < names.indexOf("Http2FrameCodec"),
          names::toString);
    }
  }

  @Test
  void aConnectionKeepsTheConsolidationThatItHas() throws Exception {
    FlushConsolidationHandler own = new FlushConsolidationHandler();
    StreamRecorder streams = new StreamRecorder((ctx, frame) -> StreamBed.answer(ctx, 10));
    try (StreamBed bed =
            new StreamBed(
                group(), new StreamInitializer(streams), channel -> new ChannelHandler[] {own});
        RawHttp2Client client = new RawHttp2Client(bed.server)) {
      Channel connection = bed.accepted();
      client.headers(1, true).flush();
      client.awaitEnd(1);
      List<ChannelHandler> found = new ArrayList<>();
      for (Map.Entry<String, ChannelHandler> entry : connection.pipeline()) {
        if (entry.getValue() instanceof FlushConsolidationHandler) {
          found.add(entry.getValue());
        }
      }
      assertEquals(List.of(own), found);
    }
  }

  @AfterAll
  static void noBufferIsLost() {
    LeakCounter.assertNoLeaks();
  }
}
