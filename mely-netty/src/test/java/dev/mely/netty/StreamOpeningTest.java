package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.Color;
import dev.mely.netty.OffloadBed.Kind;
import dev.mely.stage.StageGraph;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.util.ReferenceCountUtil;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What opens a stream is told with its headers, where those follow at once, and else at once. */
@Timeout(300)
class StreamOpeningTest {
  private static MelyEventLoopGroup group() {
    return Io.NIO.builder().cores(2).build();
  }

  /** One event for all that opens it and its headers, and one for the end of the burst. */
  @Test
  void theHeadersBringAllThatOpensAStream() throws Exception {
    StreamRecorder streams = new StreamRecorder((ctx, frame) -> StreamBed.answer(ctx, 1));
    StreamInitializer byPath =
        new StreamInitializer(streams).byKey(headers -> headers.path().toString());
    try (StreamBed bed = new StreamBed(group(), byPath);
        RawHttp2Client client = new RawHttp2Client(bed.server)) {
      Color color = bed.mely().color("/a");
      CountDownLatch busy = bed.block(color);
      int before = color.pending();
      client.headers(1, true, RawHttp2Client.post().path("/a")).flush();
      Harness.await().until(() -> color.pending() > before);
      bed.accepted().eventLoop().submit(() -> {}).sync(); // what was read has been handed over
      assertEquals(before + 2, color.pending());
      busy.countDown();
      client.awaitEnd(1);
      streams.awaitLife(1, "active", "headers end", "inactive", "unregistered");
      streams.assertNoFaults();
    }
  }

  /** Without a key, too: else each stream would take three signals more. */
  @Test
  void aStreamsOwnColorTakesNoMoreEventsThanThatOfAKey() throws Exception {
    int streams = 20;
    StreamRecorder first = new StreamRecorder((ctx, frame) -> StreamBed.answer(ctx, 1));
    long keyed = signals(streams, new StreamInitializer(first).byKey(headers -> null));
    StreamRecorder second = new StreamRecorder((ctx, frame) -> StreamBed.answer(ctx, 1));
    long own = signals(streams, new StreamInitializer(second));
    assertTrue(own < keyed + streams, () -> own + " signals, and " + keyed + " with a key");
  }

  private static long signals(int streams, StreamInitializer initializer) throws Exception {
    MelyEventLoopGroup group =
        Io.NIO.builder().cores(2).runtime(mely -> mely.recordStages(true)).build();
    try (StreamBed bed = new StreamBed(group, initializer);
        RawHttp2Client client = new RawHttp2Client(bed.server)) {
      for (int i = 0; i < streams; i++) {
        client.headers(1 + 2 * i, true).flush();
        client.awaitEnd(1 + 2 * i);
      }
    }
    return group.mely().inspect().stages().stages().stream()
        .filter(stage -> stage.name().equals("signals of off-loaded handlers"))
        .mapToLong(StageGraph.Stage::runs)
        .sum();
  }

  /** Sends a request as soon as its stream is active, and takes the answer. */
  @Sharable
  private static final class Requester extends ChannelInboundHandlerAdapter {
    final LinkedTransferQueue<Object> answers = new LinkedTransferQueue<>();

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
      ctx.writeAndFlush(new DefaultHttp2HeadersFrame(RawHttp2Client.post(), true));
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      ReferenceCountUtil.release(message);
      answers.add(message.getClass().getSimpleName());
    }
  }

  @Test
  void aClientsOwnStreamIsActiveAtOnce() throws Exception {
    Requester requester = new Requester();
    StreamRecorder streams = new StreamRecorder((ctx, frame) -> StreamBed.answer(ctx, 1));
    try (StreamBed bed = new StreamBed(group(), streams)) {
      Channel connection = bed.connect();
      ChannelHandler offloaded = new StreamInitializer(requester).on(bed.mely());
      Http2StreamChannel unused = StreamBed.open(connection, offloaded);
      Object answer = requester.answers.poll(Harness.PATIENCE_SECONDS, TimeUnit.SECONDS);
      assertEquals("DefaultHttp2HeadersFrame", answer);
    }
  }

  @Test
  void aHandlerThatServesOneStreamOnlyIsRefused() {
    ChannelHandler once = new ChannelInboundHandlerAdapter() {};
    Exception refused =
        assertThrows(IllegalArgumentException.class, () -> new StreamInitializer(once));
    assertTrue(refused.getMessage().contains(once.getClass().getName()), refused::getMessage);
  }

  /** Reads its headers, and no more. */
  @Sharable
  private static final class Reader extends ChannelInboundHandlerAdapter {
    @Override
    public void channelActive(ChannelHandlerContext ctx) {
      ctx.read();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      ReferenceCountUtil.release(message);
      StreamBed.answer(ctx, 1);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aStreamWithoutAutoReadIsActiveAtOnce(boolean before) throws Exception {
    ChannelHandler streams =
        new ChannelInitializer<Http2StreamChannel>() {
          @Override
          protected void initChannel(Http2StreamChannel stream) {
            stream.config().setAutoRead(!before);
            stream.pipeline().addLast(new StreamInitializer(new Reader()));
            stream.config().setAutoRead(false);
          }
        };
    try (StreamBed bed = new StreamBed(group(), streams);
        RawHttp2Client client = new RawHttp2Client(bed.server)) {
      client.headers(1, true).flush();
      client.awaitEnd(1);
    }
  }

  /** The promise that a first message follows is not kept: nothing is lost but the single event. */
  @ParameterizedTest
  @EnumSource
  void withoutAFirstMessageTheNextSignalBringsIt(Kind kind) throws Exception {
    Queue<OffloadWitness> witnesses = new ConcurrentLinkedQueue<>();
    try (OffloadBed bed = new OffloadBed(kind)) {
      bed.serve(
          channel -> {
            OffloadWitness witness = new OffloadWitness(channel);
            witnesses.add(witness);
            channel.config().setAutoRead(false);
            channel.pipeline().addLast(bed.offload(witness).headFollows(true));
          });
      Harness.Client talks = bed.connect();
      Harness.Client leaves = bed.connect();
      OffloadBed.inLoop(talks.peer, pipeline -> pipeline.fireUserEventTriggered("e"));
      OffloadWitness first = witnesses.remove();
      first.expect("added", "registered", "active", "event e");
      OffloadBed.inLoop(talks.peer, pipeline -> pipeline.fireChannelRead("a"));
      first.expect("read a");
      OffloadBed.inLoop(leaves.peer, pipeline -> pipeline.channel().close());
      OffloadWitness second = witnesses.remove();
      second.skipTo("active");
      second.skipTo("removed");
      second.expectNoMore();
      bed.assertNoErrors();
    }
  }

  @AfterAll
  static void noBufferIsLost() throws InterruptedException {
    LeakCounter.assertNoLeaks();
  }
}
