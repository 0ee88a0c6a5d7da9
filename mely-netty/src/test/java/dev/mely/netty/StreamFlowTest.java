package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.Migrating;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2StreamChannel;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Windows: what is not handled is not credited, all that is handled is, and memory is bounded. */
@Timeout(300)
class StreamFlowTest {
  private static final int WINDOW = RawHttp2Client.DEFAULT_WINDOW;

  private static MelyEventLoopGroup group(Io io) {
    return io.builder().cores(3).build();
  }

  private static StreamRecorder.Reaction answerAtTheEnd() {
    return (ctx, frame) -> {
      if (StreamBed.isEnd(frame)) {
        StreamBed.answer(ctx, 1);
      }
    };
  }

  /** The handler takes one frame at a time, when the test says so. */
  @ParameterizedTest
  @EnumSource
  void nothingIsCreditedBeforeItIsHandled(Io io) throws Exception {
    Semaphore permits = new Semaphore(0);
    StreamRecorder streams =
        new StreamRecorder(
            (ctx, frame) -> {
              if (frame instanceof Http2DataFrame) {
                assertTrue(permits.tryAcquire(Harness.PATIENCE_SECONDS, TimeUnit.SECONDS));
              }
            });
    try (StreamBed bed = new StreamBed(group(io), new StreamInitializer(streams));
        RawHttp2Client client = new RawHttp2Client(bed.server)) {
      Channel connection = bed.accepted();
      client.headers(1, false);
      int frames = fill(client, 1, 1_000);
      client.ping();
      streams.awaitEvent(1, "headers");
      for (int i = 0; i < frames; i++) {
        int begun = i + 1;
        Harness.await().until(() -> frames(streams) == begun);
        long handled = streams.handledBytes.get();
        client.ping();
        int uncredited = StreamBed.uncredited(connection);
        assertTrue(
            uncredited >= WINDOW - handled, uncredited + " of " + WINDOW + ", handled " + handled);
        assertTrue(client.credited() <= handled);
        assertTrue(i > 0 || client.creditFrames() == 0, "credits before the first frame");
        permits.release();
      }
      Harness.await().until(() -> StreamBed.uncredited(connection) == 0);
      assertEquals(WINDOW, streams.handledBytes.get());
      client.awaitRoom(1, WINDOW / 2);
      streams.assertNoFaults();
    }
  }

  /** Nothing else is written, and nothing more is read, that could take the credits with it. */
  @ParameterizedTest
  @EnumSource
  void creditsAreSentAtOnce(Io io) throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    StreamRecorder streams = new StreamRecorder((ctx, frame) -> StreamBed.await(release));
    try (StreamBed bed = new StreamBed(group(io), new StreamInitializer(streams));
        RawHttp2Client client = new RawHttp2Client(bed.server)) {
      client.headers(1, false);
      fill(client, 1, 5_000);
      client.ping();
      assertEquals(0, client.creditFrames());
      release.countDown();
      client.awaitRoom(1, WINDOW / 2);
    }
  }

  /** Frames of data whose handler has begun. */
  private static long frames(StreamRecorder streams) {
    return streams.events(1).stream().filter(event -> event.startsWith("data")).count();
  }

  /** Sends what the windows allow, every other frame with padding; returns the number of frames. */
  private static int fill(RawHttp2Client client, int stream, int bytes) throws Exception {
    int frames = 0;
    for (int room = client.room(stream); room > 0; room = client.room(stream)) {
      int length = Math.min(bytes, room);
      if (frames % 2 == 1 && length > 200) {
        client.paddedData(stream, length - 101, 100);
      } else {
        client.data(stream, length, false);
      }
      frames++;
    }
    return frames;
  }

  /** One stream's handler is stuck, and its data takes half of the connection's window. */
  @ParameterizedTest
  @EnumSource
  void otherStreamsGoOn(Io io) throws Exception {
    CountDownLatch stuck = new CountDownLatch(1);
    StreamRecorder streams =
        new StreamRecorder(
            (ctx, frame) -> {
              if (frame.stream().id() == 1) {
                StreamBed.await(stuck);
              }
              answerAtTheEnd().on(ctx, frame);
            });
    int held = 20_000;
    int others = 40;
    int bytes = 5_000;
    try (StreamBed bed = new StreamBed(group(io), new StreamInitializer(streams));
        RawHttp2Client client = new RawHttp2Client(bed.server)) {
      Channel connection = bed.accepted();
      client.headers(1, false).data(1, held / 2, false).data(1, held / 2, true).flush();
      for (int i = 1; i <= others; i++) {
        int stream = 1 + 2 * i;
        client.headers(stream, false).flush();
        client.awaitRoom(stream, bytes);
        client.data(stream, bytes, true).flush();
        client.awaitEnd(stream);
      }
      Harness.await().until(() -> streams.handledBytes.get() == (long) others * bytes);
      Harness.await().until(() -> StreamBed.uncredited(connection) == held);
      stuck.countDown();
      client.awaitEnd(1);
      streams.awaitEnds(others + 1);
      assertEquals(0, StreamBed.uncredited(connection));
    }
  }

  /** Ten thousand slow streams hold no more than one connection's window; all of it comes back. */
  @ParameterizedTest
  @EnumSource
  void manySlowStreamsHoldOneWindow(Io io) throws Exception {
    int count = 10_000;
    String key = "slow";
    StreamRecorder streams = new StreamRecorder(answerAtTheEnd());
    try (StreamBed bed =
            new StreamBed(group(io), new StreamInitializer(streams).byKey(headers -> key));
        RawHttp2Client client = new RawHttp2Client(bed.server)) {
      Channel connection = bed.accepted();
      for (int i = 0; i < count; i++) {
        client.headers(1 + 2 * i, false);
      }
      client.ping();
      Harness.await().until(() -> streams.events(2 * count - 1).contains("headers"));
      assertEquals(count, StreamBed.streams(connection));
      long idle = used(bed);
      long sent = 0;
      for (int round = 0; round < 3; round++) {
        CountDownLatch release = bed.block(bed.mely().color(key));
        long credited = client.credited();
        int room = client.room();
        assertTrue(room > WINDOW / 2, () -> room + " bytes of room");
        for (int i = 0; client.room() > 0; i++) {
          int stream = 1 + 2 * (i % count);
          int bytes = Math.min(round == 0 ? 7 : 500, client.room());
          client.data(stream, bytes, false);
          sent += bytes;
        }
        client.ping();
        assertEquals(credited, client.credited(), "credited, but not handled");
        long expected = sent - streams.handledBytes.get();
        assertEquals(expected, StreamBed.uncredited(connection));
        // What the frames' own heads take, and what is unused of each buffer that was read.
        long held = used(bed) - idle;
        assertTrue(held < 8 * WINDOW, () -> held + " bytes are held");
        release.countDown();
        long all = sent;
        Harness.await().until(() -> streams.handledBytes.get() == all);
        Harness.await().until(() -> StreamBed.uncredited(connection) == 0);
        client.ping();
      }
      for (int i = 0; i < count; i++) {
        client.data(1 + 2 * i, 0, true);
      }
      client.flush();
      client.awaitEnd(2 * count - 1);
      streams.awaitEnds(count);
      assertEquals(0, StreamBed.streams(connection));
    }
  }

  private static long used(StreamBed bed) {
    return bed.memory.metric().usedDirectMemory() + bed.memory.metric().usedHeapMemory();
  }

  /** No byte of credit is lost, on any stream, at whatever moment its color moves. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void allWindowsAreWholeAgain(long seed) throws Exception {
    int count = 50;
    Random random = new Random(seed);
    StreamRecorder streams = new StreamRecorder(answerAtTheEnd());
    MelyEventLoopGroup group = Io.NIO.builder().cores(3).runtime(Migrating.by(seed)).build();
    try (StreamBed bed = new StreamBed(group, new StreamInitializer(streams));
        RawHttp2Client client = new RawHttp2Client(bed.server)) {
      Channel connection = bed.accepted();
      for (int i = 0; i < count; i++) {
        client.headers(1 + 2 * i, false);
      }
      for (int i = 0; i < 2_000; i++) {
        int stream = 1 + 2 * random.nextInt(count);
        client.awaitRoom(stream, 0);
        int bytes = 300 + random.nextInt(2_000);
        if (client.room(stream) < bytes) {
          client.flush();
          client.awaitRoom(stream, bytes);
        }
        if (random.nextBoolean()) {
          client.data(stream, bytes, false);
        } else {
          client.paddedData(stream, bytes - 200, 199);
        }
        if (random.nextInt(8) == 0) {
          client.flush();
        }
      }
      client.ping();
      Harness.await().until(() -> StreamBed.uncredited(connection) == 0);
      for (int i = 0; i < count; i++) {
        client.data(1 + 2 * i, 0, true);
      }
      client.flush();
      streams.awaitEnds(count);
      assertEquals(0, StreamBed.streams(connection));
    }
  }

  /** What no window counts does not fill the memory either: such a stream is reset. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void framesWithoutAWindowAreBounded(boolean priorities) throws Exception {
    int count = 3_000;
    CountDownLatch stuck = new CountDownLatch(1);
    StreamRecorder streams =
        new StreamRecorder(
            (ctx, frame) -> {
              if (frame.stream().id() == 1) {
                StreamBed.await(stuck);
              }
              answerAtTheEnd().on(ctx, frame);
            });
    try (StreamBed bed = new StreamBed(group(Io.NIO), new StreamInitializer(streams));
        RawHttp2Client client = new RawHttp2Client(bed.server)) {
      Channel connection = bed.accepted();
      client.headers(1, false).headers(3, false);
      client.ping();
      streams.awaitEvent(1, "headers");
      // Netty closes the connection for an unknown frame of a stream that is reset.
      for (int i = 0; i < count && client.resetCode(1) == null; i++) {
        if (priorities) {
          client.priority(1);
        } else {
          client.unknown(1, 16_000);
          client.ping();
        }
      }
      client.flush();
      client.awaitReset(1);
      assertEquals(RawHttp2Client.ENHANCE_YOUR_CALM, client.resetCode(1));
      assertTrue(used(bed) < 1 << 20, () -> used(bed) + " bytes are held");
      client.data(3, 1_000, true).flush();
      client.awaitEnd(3);
      stuck.countDown();
      streams.awaitEnds(2);
      assertEquals(0, StreamBed.streams(connection));
    }
  }

  /** A handler that reads when it likes gets no more than the bound, and no frame is lost. */
  @Test
  void aHandlerMayReadByItself() throws Exception {
    Queue<ChannelHandlerContext> contexts = new ConcurrentLinkedQueue<>();
    StreamRecorder streams =
        new StreamRecorder(
            (ctx, frame) -> {
              if (frame instanceof Http2HeadersFrame) {
                ctx.channel().config().setAutoRead(false);
                contexts.add(ctx);
              }
              answerAtTheEnd().on(ctx, frame);
            });
    try (StreamBed bed = new StreamBed(group(Io.NIO), new StreamInitializer(streams));
        RawHttp2Client client = new RawHttp2Client(bed.server)) {
      Channel connection = bed.accepted();
      client.headers(1, false).flush();
      Harness.await().until(() -> contexts.size() == 1);
      for (int i = 0; i < 300; i++) {
        client.data(1, 200, i == 299);
      }
      client.ping();
      ChannelHandlerContext ctx = contexts.element();
      assertFalse(ctx.channel().config().isAutoRead());
      while (streams.handledBytes.get() < 300 * 200) {
        ctx.executor().submit(ctx::read).get(Harness.PATIENCE_SECONDS, TimeUnit.SECONDS);
      }
      client.awaitEnd(1);
      streams.awaitEnds(1);
      assertEquals(0, StreamBed.uncredited(connection));
    }
  }

  /** The client's window is closed: the handler is told so, and holds back. */
  @ParameterizedTest
  @EnumSource
  void slowReadersAreAwaited(Io io) throws Exception {
    int count = 8;
    int bytes = 1 << 20;
    int chunk = 8_000;
    Writer[] writers = new Writer[2 * count];
    StreamRecorder streams =
        new StreamRecorder(
                (ctx, frame) -> {
                  StreamBed.answerHeaders(ctx);
                  Writer writer = new Writer(bytes, chunk);
                  writers[frame.stream().id()] = writer;
                  writer.write(ctx);
                })
            .writability(
                ctx -> {
                  Writer writer = writers[((Http2StreamChannel) ctx.channel()).stream().id()];
                  if (writer != null) {
                    writer.write(ctx);
                  }
                });
    try (StreamBed bed = new StreamBed(group(io), new StreamInitializer(streams));
        RawHttp2Client client = new RawHttp2Client(bed.server, 1_000)) {
      Channel connection = bed.accepted();
      for (int i = 0; i < count; i++) {
        client.headers(1 + 2 * i, true);
      }
      client.flush();
      for (int i = 0; i < count; i++) {
        int stream = 1 + 2 * i;
        client.awaitReceived(stream, 1_000);
        Harness.await().until(() -> writers[stream].unwritable.get());
      }
      client.ping();
      // The water mark of a stream is 64 KiB; what is on its way to the loop counts for it.
      for (int i = 0; i < count; i++) {
        long written = writers[1 + 2 * i].written.get();
        assertTrue(written < 4 << 16, () -> written + " bytes have been written");
        assertEquals(1_000, client.receivedBytes(1 + 2 * i));
      }
      assertTrue(used(bed) < (4 << 16) * count, () -> used(bed) + " bytes are held");
      client.credit(0, 64 << 20);
      int[] limit = new int[2 * count];
      for (boolean more = true; more; ) {
        more = false;
        for (int i = 0; i < count; i++) {
          int stream = 1 + 2 * i;
          if (limit[stream] < bytes) {
            int step = Math.min(70_000 + 10_000 * i, bytes - limit[stream]);
            client.credit(stream, step);
            limit[stream] += step;
            more = true;
          }
        }
        client.flush();
        for (int i = 0; i < count; i++) {
          client.awaitReceived(1 + 2 * i, limit[1 + 2 * i]);
        }
      }
      for (int i = 0; i < count; i++) {
        int stream = 1 + 2 * i;
        client.awaitEnd(stream);
        byte[] received = client.received(stream);
        assertEquals(bytes, received.length);
        for (int at = 0; at < bytes; at++) {
          if (received[at] != Writer.at(at)) {
            assertEquals(Writer.at(at), received[at], "byte " + at + " of stream " + stream);
          }
        }
      }
      streams.awaitEnds(count);
      Harness.await().until(() -> StreamBed.streams(connection) == 0);
    }
  }

  /** Writes while it may. */
  private static final class Writer {
    private final int bytes;
    private final int chunk;
    private final AtomicLong written = new AtomicLong();
    private final AtomicBoolean unwritable = new AtomicBoolean();

    /** A write may change the writability, which comes here again. */
    private boolean writing;

    Writer(int bytes, int chunk) {
      this.bytes = bytes;
      this.chunk = chunk;
    }

    static byte at(long position) {
      return (byte) (position * 31 + (position >> 8));
    }

    void write(ChannelHandlerContext ctx) {
      if (writing) {
        return;
      }
      writing = true;
      while (written.get() < bytes && ctx.channel().isWritable()) {
        byte[] data = new byte[(int) Math.min(chunk, bytes - written.get())];
        for (int i = 0; i < data.length; i++) {
          data[i] = at(written.get() + i);
        }
        boolean end = written.addAndGet(data.length) == bytes;
        ctx.write(new DefaultHttp2DataFrame(Unpooled.wrappedBuffer(data), end));
      }
      unwritable.set(unwritable.get() || !ctx.channel().isWritable());
      ctx.flush();
      writing = false;
    }
  }

  @AfterAll
  static void noBufferIsLost() {
    LeakCounter.assertNoLeaks();
  }
}
