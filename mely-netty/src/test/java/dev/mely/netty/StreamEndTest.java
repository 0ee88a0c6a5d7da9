package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.Migrating;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.DefaultHttp2GoAwayFrame;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2FrameStreamException;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2StreamFrame;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How streams end: each end comes in its order, once, and harms no other stream. */
@Timeout(300)
class StreamEndTest {
  private static final String RESET = "reset " + RawHttp2Client.CANCEL;

  private ErrorTap log = new ErrorTap();

  @BeforeEach
  void tap() {
    log.close();
    log = new ErrorTap();
  }

  @AfterEach
  void nothingIsLogged() {
    log.close();
    log.assertSilent();
  }

  private static MelyEventLoopGroup group(Io io) {
    return io.builder().cores(3).build();
  }

  /** The life of a stream: its frames, and its end. */
  private static String[] life(Stream<String> frames, String... end) {
    List<String> events = new ArrayList<>(List.of("active"));
    events.addAll(frames.toList());
    events.addAll(List.of(end));
    events.addAll(List.of("inactive", "unregistered"));
    return events.toArray(new String[0]);
  }

  private static Stream<String> headersAnd(int frames) {
    return Stream.concat(Stream.of("headers"), Collections.nCopies(frames, "data 1").stream());
  }

  /** Another stream of the connection works, and the connection has all its window. */
  private static void assertSound(Channel connection, RawHttp2Client client, int stream)
      throws Exception {
    client.headers(stream, false).data(stream, 1_000, true).flush();
    client.awaitEnd(stream);
    Harness.await().until(() -> StreamBed.streams(connection) == 0);
    assertEquals(0, StreamBed.uncredited(connection));
    assertTrue(connection.isActive());
  }

  private static void answer(ChannelHandlerContext ctx, Http2StreamFrame frame) {
    if (StreamBed.isEnd(frame)) {
      StreamBed.answer(ctx, 10);
    }
  }

  // Resets by the client.

  /** The color has not even begun with the stream. */
  @ParameterizedTest
  @EnumSource
  void resetBeforeTheHeadersAreHandled(Io io) throws Exception {
    StreamRecorder streams = new StreamRecorder(StreamEndTest::answer);
    try (StreamBed bed =
            new StreamBed(group(io), new StreamInitializer(streams).byKey(headers -> "key"));
        RawHttp2Client client = new RawHttp2Client(bed.server)) {
      Channel connection = bed.accepted();
      CountDownLatch release = bed.block(bed.mely().color("key"));
      client.headers(1, false).data(1, 1, false).reset(1);
      client.ping();
      assertEquals(0, StreamBed.streams(connection));
      release.countDown();
      streams.awaitLife(1, life(headersAnd(1), RESET));
      assertSound(connection, client, 3);
      streams.awaitEnds(2);
    }
  }

  @ParameterizedTest
  @EnumSource
  void resetBetweenDataFrames(Io io) throws Exception {
    StreamRecorder streams = new StreamRecorder(StreamEndTest::answer);
    try (StreamBed bed = new StreamBed(group(io), new StreamInitializer(streams));
        RawHttp2Client client = new RawHttp2Client(bed.server)) {
      Channel connection = bed.accepted();
      client.headers(1, false).data(1, 1, false).data(1, 1, false).flush();
      Harness.await().until(() -> streams.handledBytes.get() == 2);
      client.data(1, 1, false).reset(1).flush();
      streams.awaitLife(1, life(headersAnd(3), RESET));
      assertSound(connection, client, 3);
      streams.awaitEnds(2);
    }
  }

  /**
   * The handler is inside its first frame when the reset comes: it gets the rest of the data first,
   * as in a channel's own event loop; even if there is more of it than a stream may have pending.
   */
  @ParameterizedTest
  @ValueSource(ints = {1, 3, 100})
  void resetComesBehindTheData(int frames) throws Exception {
    CountDownLatch inside = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    StreamRecorder streams =
        new StreamRecorder(
            (ctx, frame) -> {
              if (frame.stream().id() == 1 && frame instanceof Http2DataFrame) {
                inside.countDown();
                StreamBed.await(release);
              }
              answer(ctx, frame);
            });
    try (StreamBed bed = new StreamBed(group(Io.NIO), new StreamInitializer(streams));
        RawHttp2Client client = new RawHttp2Client(bed.server)) {
      Channel connection = bed.accepted();
      client.headers(1, false);
      for (int i = 0; i < frames; i++) {
        client.data(1, 1, false);
      }
      client.ping();
      StreamBed.await(inside);
      client.reset(1);
      client.ping();
      assertFalse(streams.events(1).contains(RESET));
      release.countDown();
      streams.awaitLife(1, life(headersAnd(frames), RESET));
      assertSound(connection, client, 3);
      streams.awaitEnds(2);
    }
  }

  /**
   * The answer waits for the client's window: it is dropped, and its promises fail in the color.
   */
  @ParameterizedTest
  @EnumSource
  void resetWhileTheAnswerWaits(Io io) throws Exception {
    Queue<String> promises = new ConcurrentLinkedQueue<>();
    StreamRecorder streams =
        new StreamRecorder(
            (ctx, frame) -> {
              if (frame.stream().id() == 1) {
                StreamBed.answerHeaders(ctx);
                for (int i = 0; i < 10; i++) {
                  ctx.write(StreamBed.body(1_000, i == 9)).addListener(outcome(ctx, promises));
                }
                ctx.flush();
              } else {
                answer(ctx, frame);
              }
            });
    try (StreamBed bed = new StreamBed(group(io), new StreamInitializer(streams));
        RawHttp2Client client = new RawHttp2Client(bed.server, 3_500)) {
      Channel connection = bed.accepted();
      client.headers(1, true).flush();
      client.awaitReceived(1, 3_500);
      Harness.await().until(() -> promises.size() == 3);
      client.reset(1).flush();
      streams.awaitLife(1, life(Stream.of("headers end"), RESET));
      Harness.await().until(() -> promises.size() == 10);
      List<String> expected = new ArrayList<>(Collections.nCopies(3, "written, inside"));
      expected.addAll(Collections.nCopies(7, "failed, inside"));
      assertEquals(expected, List.copyOf(promises));
      assertSound(connection, client, 3);
      streams.awaitEnds(2);
    }
  }

  private static ChannelFutureListener outcome(ChannelHandlerContext ctx, Queue<String> outcomes) {
    return (ChannelFuture future) ->
        outcomes.add(
            (future.isSuccess() ? "written, " : "failed, ")
                + (ctx.executor().inEventLoop() ? "inside" : "outside"));
  }

  @ParameterizedTest
  @EnumSource
  void resetAfterTheEndOfTheRequest(Io io) throws Exception {
    StreamRecorder streams =
        new StreamRecorder(
            (ctx, frame) -> {
              if (frame.stream().id() != 1) {
                answer(ctx, frame);
              }
            });
    try (StreamBed bed = new StreamBed(group(io), new StreamInitializer(streams));
        RawHttp2Client client = new RawHttp2Client(bed.server)) {
      Channel connection = bed.accepted();
      client.headers(1, false).data(1, 1, true).flush();
      streams.awaitEvent(1, "data 1 end");
      client.reset(1).flush();
      streams.awaitLife(1, life(Stream.of("headers", "data 1 end"), RESET));
      // The answer is out, and so is the stream: a reset comes too late.
      client.headers(3, true).flush();
      client.awaitEnd(3);
      client.reset(3).flush();
      streams.awaitLife(3, life(Stream.of("headers end")));
      assertSound(connection, client, 5);
      streams.awaitEnds(3);
    }
  }

  /**
   * Many streams at once, each reset somewhere, with handlers that answer, close, or do nothing.
   */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void resetAtAnyMoment(long seed) throws Exception {
    int count = 150;
    Random random = new Random(seed);
    StreamRecorder streams =
        new StreamRecorder(
            (ctx, frame) -> {
              int stream = frame.stream().id();
              if (frame instanceof Http2HeadersFrame) {
                if (stream % 3 != 0) {
                  StreamBed.answerHeaders(ctx);
                }
              } else if (stream % 3 == 1) {
                ctx.writeAndFlush(StreamBed.body(700, StreamBed.isEnd(frame)));
              } else if (stream % 3 == 2 && stream % 7 == 0) {
                ctx.close();
              }
            });
    MelyEventLoopGroup group = Io.NIO.builder().cores(3).runtime(Migrating.by(seed)).build();
    try (StreamBed bed = new StreamBed(group, new StreamInitializer(streams));
        RawHttp2Client client = new RawHttp2Client(bed.server, 2_000)) {
      Channel connection = bed.accepted();
      int[] sent = new int[2 * count];
      boolean[] ended = new boolean[2 * count];
      List<Integer> open = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        client.headers(1 + 2 * i, false);
        open.add(1 + 2 * i);
      }
      while (!open.isEmpty()) {
        int at = random.nextInt(open.size());
        int stream = open.get(at);
        switch (random.nextInt(8)) {
          case 0 -> {
            client.reset(stream);
            open.remove(at);
          }
          case 1 -> {
            if (!ended[stream]) {
              client.data(stream, 1, true);
              sent[stream]++;
              ended[stream] = true;
            }
          }
          case 2 -> client.flush();
          default -> {
            if (!ended[stream]) {
              client.data(stream, 1, false);
              sent[stream]++;
            }
          }
        }
      }
      client.ping();
      streams.awaitEnds(count);
      for (int i = 0; i < count; i++) {
        int stream = 1 + 2 * i;
        List<String> frames = new ArrayList<>(Collections.nCopies(sent[stream], "data 1"));
        if (ended[stream]) {
          frames.set(frames.size() - 1, "data 1 end");
        }
        String[] whole = life(Stream.concat(Stream.of("headers"), frames.stream()), RESET);
        if (stream % 3 == 0) {
          streams.awaitLife(stream, whole);
        } else {
          // The server may have ended it before: what has come is a beginning.
          List<String> events = streams.events(stream);
          List<String> before = events.subList(0, events.size() - 2);
          assertEquals(
              List.of("inactive", "unregistered"), events.subList(before.size(), events.size()));
          int common = before.contains(RESET) ? before.size() - 1 : before.size();
          assertEquals(List.of(whole).subList(0, common), before.subList(0, common));
        }
      }
      client.credit(0, 1 << 20);
      assertSound(connection, client, 2 * count + 1);
    }
  }

  // Ends by the server.

  @ParameterizedTest
  @EnumSource
  void aHandlerClosesItsStream(Io io) throws Exception {
    Queue<String> promises = new ConcurrentLinkedQueue<>();
    StreamRecorder streams =
        new StreamRecorder(
            (ctx, frame) -> {
              if (frame.stream().id() == 1 && frame instanceof Http2DataFrame) {
                ctx.writeAndFlush(StreamBed.body(5, false)).addListener(outcome(ctx, promises));
                ctx.close().addListener(outcome(ctx, promises));
              } else if (frame.stream().id() == 1) {
                StreamBed.answerHeaders(ctx);
              } else {
                answer(ctx, frame);
              }
            });
    try (StreamBed bed = new StreamBed(group(io), new StreamInitializer(streams));
        RawHttp2Client client = new RawHttp2Client(bed.server)) {
      Channel connection = bed.accepted();
      client.headers(1, false).data(1, 1, false).flush();
      client.awaitReset(1);
      assertEquals(RawHttp2Client.CANCEL, client.resetCode(1));
      // What was flushed before the close has gone out before it.
      assertEquals(5, client.receivedBytes(1));
      streams.awaitLife(1, life(headersAnd(1)));
      Harness.await().until(() -> promises.size() == 2);
      assertEquals(List.of("written, inside", "written, inside"), List.copyOf(promises));
      assertSound(connection, client, 3);
      streams.awaitEnds(2);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aHandlerRefusesItsStream(Io io) throws Exception {
    StreamRecorder streams =
        new StreamRecorder(
            (ctx, frame) -> {
              if (frame.stream().id() == 1) {
                throw new Http2FrameStreamException(
                    frame.stream(), Http2Error.REFUSED_STREAM, new IllegalStateException("no"));
              }
              answer(ctx, frame);
            });
    try (StreamBed bed = new StreamBed(group(io), new StreamInitializer(streams));
        RawHttp2Client client = new RawHttp2Client(bed.server)) {
      Channel connection = bed.accepted();
      client.headers(1, false).flush();
      client.awaitReset(1);
      assertEquals(RawHttp2Client.REFUSED_STREAM, client.resetCode(1));
      streams.awaitLife(1, life(Stream.of("headers"), "exception no"));
      assertSound(connection, client, 3);
      streams.awaitEnds(2);
    }
  }

  /** The client has ended its side at once; the server goes on for long. */
  @ParameterizedTest
  @EnumSource
  void theServerWritesAfterTheEndOfTheRequest(Io io) throws Exception {
    int chunks = 300;
    StreamRecorder streams =
        new StreamRecorder(
            (ctx, frame) -> {
              StreamBed.answerHeaders(ctx);
              writeChunks(ctx, chunks);
            });
    try (StreamBed bed = new StreamBed(group(io), new StreamInitializer(streams));
        RawHttp2Client client = new RawHttp2Client(bed.server, 1 << 20)) {
      Channel connection = bed.accepted();
      client.credit(0, 1 << 20).headers(1, true).flush();
      client.awaitEnd(1);
      assertEquals(chunks * 1_000, client.receivedBytes(1));
      streams.awaitLife(1, life(Stream.of("headers end")));
      streams.awaitEnds(1);
      Harness.await().until(() -> StreamBed.streams(connection) == 0);
    }
  }

  /** Each chunk in a task of its own. */
  private static void writeChunks(ChannelHandlerContext ctx, int left) {
    ctx.writeAndFlush(StreamBed.body(1_000, left == 1));
    if (left > 1) {
      ctx.executor().execute(() -> writeChunks(ctx, left - 1));
    }
  }

  // Ends of the connection.

  @ParameterizedTest
  @EnumSource
  void streamsGoOnAfterAGoAwayOfTheClient(Io io) throws Exception {
    StreamRecorder streams = new StreamRecorder(StreamEndTest::answer);
    try (StreamBed bed = new StreamBed(group(io), new StreamInitializer(streams));
        RawHttp2Client client = new RawHttp2Client(bed.server)) {
      client.headers(1, false).headers(3, false).data(1, 1, false).goAway();
      client.data(3, 1, false).data(1, 1, true).data(3, 1, true).flush();
      client.awaitEnd(1);
      client.awaitEnd(3);
      String[] life = life(Stream.of("headers", "data 1", "data 1 end"));
      streams.awaitLife(1, life);
      streams.awaitLife(3, life);
      streams.awaitEnds(2);
    }
  }

  @ParameterizedTest
  @EnumSource
  void streamsGoOnAfterAGoAwayOfTheServer(Io io) throws Exception {
    StreamRecorder streams = new StreamRecorder(StreamEndTest::answer);
    try (StreamBed bed = new StreamBed(group(io), new StreamInitializer(streams));
        RawHttp2Client client = new RawHttp2Client(bed.server)) {
      Channel connection = bed.accepted();
      client.headers(1, false).headers(3, false).data(1, 1, false).flush();
      streams.awaitEvent(1, "data 1");
      streams.awaitEvent(3, "headers");
      connection.writeAndFlush(new DefaultHttp2GoAwayFrame(Http2Error.NO_ERROR)).sync();
      client.awaitGoAway();
      client.headers(5, true); // too late
      client.data(1, 1, true).data(3, 1, true);
      client.ping();
      client.awaitEnd(1);
      client.awaitEnd(3);
      streams.awaitLife(1, life(Stream.of("headers", "data 1", "data 1 end")));
      streams.awaitLife(3, life(Stream.of("headers", "data 1 end")));
      streams.awaitEnds(2);
      assertEquals(List.of(), streams.events(5));
      Harness.await().until(() -> StreamBed.uncredited(connection) == 0);
    }
  }

  /** The client dies while streams wait, run, have ended their requests, and are answered. */
  @ParameterizedTest
  @EnumSource
  void theConnectionDies(Io io) throws Exception {
    CountDownLatch inside = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    StreamRecorder streams =
        new StreamRecorder(
            (ctx, frame) -> {
              int stream = frame.stream().id();
              if (stream == 1 && frame instanceof Http2DataFrame) {
                inside.countDown();
                StreamBed.await(release);
                ctx.writeAndFlush(StreamBed.body(1_000, true)); // in vain
              } else if (stream == 5) {
                StreamBed.answer(ctx, 100_000);
              }
            });
    try (StreamBed bed = new StreamBed(group(io), new StreamInitializer(streams));
        RawHttp2Client client = new RawHttp2Client(bed.server, 1_000)) {
      Channel connection = bed.accepted();
      client.headers(1, false);
      for (int i = 0; i < 5; i++) {
        client.data(1, 1, false);
      }
      client.headers(3, false).data(3, 1, true).headers(5, true).headers(7, false).flush();
      StreamBed.await(inside);
      streams.awaitEvent(3, "data 1 end");
      client.awaitReceived(5, 1_000);
      streams.awaitEvent(7, "headers");
      client.die();
      connection.closeFuture().sync();
      release.countDown();
      streams.awaitLife(1, life(headersAnd(5)));
      streams.awaitLife(3, life(Stream.of("headers", "data 1 end")));
      streams.awaitLife(5, life(Stream.of("headers end")));
      streams.awaitLife(7, life(Stream.of("headers")));
      streams.awaitEnds(4);
      Harness.await().until(() -> bed.group.registeredChannels() == 1);
    }
  }

  /** The runtime ends while streams are at work: what they hold is released. */
  @ParameterizedTest
  @EnumSource
  void theGroupEnds(Io io) throws Exception {
    StreamRecorder streams = new StreamRecorder();
    try (StreamBed bed = new StreamBed(group(io), new StreamInitializer(streams));
        RawHttp2Client client = new RawHttp2Client(bed.server)) {
      for (int i = 0; i < 20; i++) {
        client.headers(1 + 2 * i, false).data(1 + 2 * i, 1_000, false);
      }
      client.flush();
      streams.awaitEvent(1, "headers");
      bed.group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
      streams.assertNoFaults();
    }
  }

  @AfterAll
  static void noBufferIsLost() {
    LeakCounter.assertNoLeaks();
  }
}
