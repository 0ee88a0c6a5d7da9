package dev.mely.netty;

import static dev.mely.netty.OffloadBed.bytes;
import static dev.mely.netty.OffloadBed.inLoop;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.netty.OffloadBed.Kind;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.ChannelInputShutdownReadComplete;
import io.netty.channel.socket.DuplexChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.handler.timeout.IdleStateHandler;
import io.netty.util.concurrent.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What off-loaded handlers do to their channel: writes, closes, timers. */
@Timeout(300)
class OffloadOutboundTest {
  /** Does what a test says, for each message. */
  private static final class Does extends ChannelInboundHandlerAdapter {
    interface What {
      void to(ChannelHandlerContext ctx, String message) throws Exception;
    }

    private final What what;

    Does(What what) {
      this.what = what;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
      String text = OffloadWitness.text(message);
      io.netty.util.ReferenceCountUtil.release(message);
      what.to(ctx, text);
    }
  }

  private static String place(ChannelHandlerContext ctx, Channel real) {
    boolean inside = ctx.executor().inEventLoop() && ctx.channel().eventLoop().inEventLoop();
    return inside && !real.eventLoop().inEventLoop() ? "" : " outside";
  }

  private static String poll(BlockingQueue<String> seen) throws InterruptedException {
    String found = seen.poll(Harness.PATIENCE_SECONDS, TimeUnit.SECONDS);
    return found == null ? "nothing" : found;
  }

  // ---- Writes

  @ParameterizedTest
  @EnumSource
  void writesArriveInOrderAndTheirPromisesCompleteOnceInside(Kind kind) throws Exception {
    int writes = 2_000;
    List<String> told = new ArrayList<>(); // plain: all in one color
    CountDownLatch all = new CountDownLatch(writes);
    try (OffloadBed bed = new OffloadBed(kind)) {
      bed.serve(
          channel ->
              channel
                  .pipeline()
                  .addLast(
                      bed.offload(
                          new Does(
                              (ctx, message) -> {
                                for (int i = 0; i < writes; i++) {
                                  int number = i;
                                  ctx.write(Unpooled.buffer(4).writeInt(i))
                                      .addListener(
                                          done -> {
                                            told.add(
                                                number
                                                    + (done.isSuccess() ? "" : " " + done.cause())
                                                    + place(ctx, channel));
                                            all.countDown();
                                          });
                                  if (i % 7 == 0) {
                                    ctx.flush();
                                  }
                                }
                                ctx.flush();
                              }))));
      Harness.Client client = bed.connect();
      Numbers numbers = new Numbers(writes);
      client.channel.pipeline().replace(client, "numbers", numbers);
      client.send("go");
      assertTrue(numbers.all.await(Harness.PATIENCE_SECONDS, TimeUnit.SECONDS));
      assertEquals(List.of(), List.copyOf(numbers.faults));
      assertTrue(all.await(Harness.PATIENCE_SECONDS, TimeUnit.SECONDS));
      // In any order: a promise that is done already tells a new listener at once.
      assertEquals(
          IntStream.range(0, writes).mapToObj(String::valueOf).sorted().toList(),
          told.stream().sorted().toList());
      bed.assertNoErrors();
    }
  }

  /** Bytes of numbers that count up from 0. */
  static final class Numbers extends ChannelInboundHandlerAdapter {
    final CountDownLatch all = new CountDownLatch(1);
    final Queue<String> faults = new ConcurrentLinkedQueue<>();
    private final int end;
    private final ByteBuf rest = Unpooled.buffer();
    private int next;

    Numbers(int end) {
      this.end = end;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      ByteBuf bytes = (ByteBuf) message;
      rest.discardReadBytes().writeBytes(bytes);
      bytes.release();
      while (rest.readableBytes() >= 4) {
        int number = rest.readInt();
        if (number != next++) {
          faults.add(number + " came as " + (next - 1));
        }
      }
      if (next == end) {
        all.countDown();
      }
    }
  }

  /** Nothing follows it that would flush it. */
  @ParameterizedTest
  @EnumSource
  void aFlushIsNotLost(Kind kind) throws Exception {
    try (OffloadBed bed = new OffloadBed(kind)) {
      bed.serve(
          channel ->
              channel
                  .pipeline()
                  .addLast(
                      bed.offload(
                          new Does(
                              (ctx, message) -> {
                                switch (message) {
                                  case "w" -> ctx.write(bytes("x"));
                                  case "f" -> ctx.flush();
                                  default -> ctx.writeAndFlush(bytes("y"), ctx.voidPromise());
                                }
                              }))));
      Harness.Client client = bed.connect();
      for (int i = 0; i < 50; i++) {
        inLoop(client.peer, pipeline -> pipeline.fireChannelRead("w"));
        inLoop(client.peer, pipeline -> pipeline.fireChannelRead("f"));
        assertEquals("x", client.await(1));
        inLoop(client.peer, pipeline -> pipeline.fireChannelRead("b"));
        assertEquals("y", client.await(1));
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void writesFromBehindPassTheHandlersInside(Kind kind) throws Exception {
    BlockingQueue<String> told = new LinkedTransferQueue<>();
    AtomicReference<OffloadWitness> inside = new AtomicReference<>();
    try (OffloadBed bed = new OffloadBed(kind)) {
      bed.serve(
          channel -> {
            inside.set(new OffloadWitness(channel));
            channel
                .pipeline()
                .addLast(
                    bed.offload(
                        new ChannelOutboundHandlerAdapter() {
                          @Override
                          public void write(
                              ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
                            ctx.write(bytes(message + "!"), promise);
                          }
                        },
                        inside.get()),
                    new Does(
                        (ctx, message) -> {
                          ctx.write(message)
                              .addListener(
                                  done ->
                                      told.add(
                                          "written "
                                              + done.isSuccess()
                                              + (ctx.channel() == channel
                                                      && channel.eventLoop().inEventLoop()
                                                  ? ""
                                                  : " outside")));
                          ctx.flush();
                        }));
          });
      Harness.Client client = bed.connect();
      inLoop(client.peer, pipeline -> pipeline.fireChannelRead("a").fireChannelRead("b"));
      assertEquals("a!b!", client.await(4));
      inside.get().skipTo("active");
      for (String event : List.of("read a", "read b")) {
        inside.get().skipTo(event);
      }
      inside.get().skipTo("write a");
      inside.get().skipTo("write b");
      assertEquals("written true", poll(told));
      assertEquals("written true", poll(told));
      ChannelFuture closed = client.peer.close();
      inside.get().skipTo("close");
      closed.sync();
      client.channel.closeFuture().sync();
      assertEquals(0, told.size());
    }
  }

  @ParameterizedTest
  @EnumSource
  void writesFromBehindPassAHandlerThatWasAddedLater(Kind kind) throws Exception {
    try (OffloadBed bed = new OffloadBed(kind)) {
      bed.serve(
          channel ->
              channel
                  .pipeline()
                  .addLast(
                      bed.offload(
                          new ChannelInboundHandlerAdapter() {
                            @Override
                            public void channelRead(ChannelHandlerContext ctx, Object message) {
                              ctx.pipeline()
                                  .replace(
                                      this,
                                      "later",
                                      new ChannelOutboundHandlerAdapter() {
                                        @Override
                                        public void write(
                                            ChannelHandlerContext context,
                                            Object written,
                                            ChannelPromise promise) {
                                          context.write(bytes(written + "!"), promise);
                                        }
                                      });
                              ctx.fireChannelRead(message);
                            }
                          }),
                      new Does((ctx, message) -> ctx.writeAndFlush(message))));
      Harness.Client client = bed.connect();
      inLoop(client.peer, pipeline -> pipeline.fireChannelRead("a"));
      assertEquals("a!", client.await(2));
    }
  }

  /** A task is no event of the channel: nothing follows it that would flush. */
  @ParameterizedTest
  @EnumSource(names = {"NIO", "EPOLL", "LOCAL", "STOCK"})
  void whatATaskWritesIsFlushedFromBehind(Kind kind) throws Exception {
    CountDownLatch written = new CountDownLatch(1);
    try (OffloadBed bed = new OffloadBed(kind)) {
      bed.serve(
          channel ->
              channel
                  .pipeline()
                  .addLast(
                      bed.offload(
                          new Does(
                              (ctx, message) ->
                                  ctx.executor()
                                      .execute(
                                          () -> {
                                            ctx.write(bytes("x"));
                                            written.countDown();
                                          })))));
      Harness.Client client = bed.connect();
      inLoop(client.peer, pipeline -> pipeline.fireChannelRead("go"));
      assertTrue(written.await(Harness.PATIENCE_SECONDS, TimeUnit.SECONDS));
      Harness.await()
          .until(
              () -> {
                client.peer.flush(); // the write may still be on its way
                return client.hasRead();
              });
      assertEquals("x", client.await(1));
    }
  }

  /** As with an executor of Netty's pipeline: what is on its way to a handler counts. */
  @ParameterizedTest
  @EnumSource(names = {"NIO", "EPOLL", "STOCK"})
  void writesFromBehindCountForWritability(Kind kind) throws Exception {
    BlockingQueue<String> found = new LinkedTransferQueue<>();
    try (OffloadBed bed = new OffloadBed(kind)) {
      bed.serve(
          channel ->
              channel
                  .pipeline()
                  .addLast(
                      bed.offload(new OffloadWitness(channel)),
                      new Does(
                          (ctx, message) -> {
                            int writes = 0;
                            while (writes < 1000 && ctx.channel().isWritable()) {
                              ctx.write(Unpooled.wrappedBuffer(new byte[1024]));
                              writes++;
                            }
                            ctx.flush();
                            found.add(writes < 1000 ? "full" : "never full");
                          })));
      Harness.Client client = bed.connect();
      inLoop(client.peer, pipeline -> pipeline.fireChannelRead("go"));
      assertEquals("full", poll(found)); // 64 KiB by default
    }
  }

  /** The head of a client's pipeline connects only when the handlers have passed it on. */
  @ParameterizedTest
  @EnumSource(names = {"NIO", "EPOLL"})
  void aClientsConnectPassesTheHandlersInside(Kind kind) throws Exception {
    try (OffloadBed bed = new OffloadBed(kind)) {
      bed.serve(channel -> channel.pipeline().addLast(new Harness.Echo()));
      MelyEventLoopGroup group = (MelyEventLoopGroup) bed.group;
      Harness.Client other = bed.connect();
      Channel client = Io.valueOf(kind.name()).socketChannel();
      OffloadWitness witness = new OffloadWitness(client);
      group.register(client).sync();
      inLoop(client, pipeline -> pipeline.addLast(OffloadHandler.of(witness)));
      ChannelFuture connected = client.connect(other.channel.remoteAddress());
      connected.sync();
      witness.expect("added", "connect", "active");
      client.writeAndFlush(bytes("a")).sync();
      witness.expect("write a", "flush", "read a");
      client.close().sync();
      witness.expect("close", "inactive", "unregistered", "removed");
    }
  }

  @ParameterizedTest
  @EnumSource
  void whatIsWrittenAfterTheCloseFailsAndIsReleased(Kind kind) throws Exception {
    BlockingQueue<String> told = new LinkedTransferQueue<>();
    List<ByteBuf> written = List.of(bytes("a"), bytes("b"), bytes("c"));
    try (OffloadBed bed = new OffloadBed(kind)) {
      bed.serve(
          channel ->
              channel
                  .pipeline()
                  .addLast(
                      bed.offload(
                          new Does(
                              (ctx, message) -> {
                                write(ctx, channel, "first", written.get(0), told);
                                ctx.flush();
                                write(ctx, channel, "unflushed", written.get(1), told);
                                ctx.close()
                                    .addListener(
                                        done ->
                                            told.add(
                                                "closed "
                                                    + done.isSuccess()
                                                    + place(ctx, channel)));
                                ctx.channel()
                                    .closeFuture()
                                    .addListener(done -> told.add("end" + place(ctx, channel)));
                                write(ctx, channel, "late", written.get(2), told);
                                ctx.flush();
                              }))));
      Harness.Client client = bed.connect();
      client.send("go");
      assertTrue(client.await(1).startsWith("a")); // more may be flushed than was asked for
      client.channel.closeFuture().sync();
      List<String> all = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        all.add(poll(told));
      }
      assertEquals(
          List.of("closed true", "end", "first true", "late false"),
          all.stream().filter(event -> !event.startsWith("unflushed")).sorted().toList());
      Harness.await().until(() -> written.stream().allMatch(each -> each.refCnt() == 0));
      assertEquals(0, told.size(), () -> told.toString());
      bed.assertNoErrors();
    }
  }

  private static void write(
      ChannelHandlerContext ctx,
      Channel real,
      String name,
      ByteBuf bytes,
      BlockingQueue<String> told) {
    ctx.write(bytes)
        .addListener(done -> told.add(name + " " + done.isSuccess() + place(ctx, real)));
  }

  // ---- Writability

  @ParameterizedTest
  @EnumSource(names = {"NIO", "EPOLL", "STOCK"})
  void aSlowPeerIsSeenAndAllBytesComeInOrder(Kind kind) throws Exception {
    int chunk = 16 * 1024;
    int chunks = 1024;
    BlockingQueue<String> events = new LinkedTransferQueue<>();
    try (OffloadBed bed = new OffloadBed(kind)) {
      bed.option(ChannelOption.WRITE_BUFFER_WATER_MARK, new WriteBufferWaterMark(32768, 65536))
          .serve(
              channel ->
                  channel
                      .pipeline()
                      .addLast(
                          bed.offload(
                              new ChannelInboundHandlerAdapter() {
                                private int written;

                                @Override
                                public void channelRead(ChannelHandlerContext ctx, Object message) {
                                  ((ByteBuf) message).release();
                                  write(ctx);
                                }

                                private void write(ChannelHandlerContext ctx) {
                                  while (written < chunks && ctx.channel().isWritable()) {
                                    ByteBuf bytes = ctx.alloc().buffer(chunk);
                                    for (int i = 0; i < chunk / 4; i++) {
                                      bytes.writeInt(written * (chunk / 4) + i);
                                    }
                                    written++;
                                    ctx.writeAndFlush(bytes);
                                  }
                                  events.add(
                                      (written < chunks ? "full" : "all") + place(ctx, channel));
                                }

                                @Override
                                public void channelWritabilityChanged(ChannelHandlerContext ctx) {
                                  if (ctx.channel().isWritable()) {
                                    write(ctx);
                                  }
                                }
                              })));
      Numbers numbers = new Numbers(chunks * (chunk / 4));
      Harness.Client client = bed.connect();
      client.channel.pipeline().replace(client, "numbers", numbers);
      client.channel.config().setAutoRead(false);
      client.send("go").sync();
      assertEquals("full", poll(events)); // 16 MiB are more than two sockets hold
      client.channel.config().setAutoRead(true);
      assertTrue(numbers.all.await(Harness.PATIENCE_SECONDS, TimeUnit.SECONDS));
      assertEquals(List.of(), List.copyOf(numbers.faults));
      // The last bytes may be there before the handler says so.
      await().atMost(Harness.PATIENCE_SECONDS, TimeUnit.SECONDS).until(() -> saidAll(events));
      List<String> rest = new ArrayList<>(events);
      assertFalse(rest.stream().anyMatch(event -> event.endsWith("outside")), rest::toString);
    }
  }

  private static boolean saidAll(Queue<String> events) {
    return events.stream().anyMatch(event -> event.startsWith("all"));
  }

  // ---- Half close

  @ParameterizedTest
  @EnumSource(names = {"NIO", "EPOLL", "STOCK"})
  void aHalfClosedChannelStillAnswers(Kind kind) throws Exception {
    AtomicReference<OffloadWitness> inside = new AtomicReference<>();
    try (OffloadBed bed = new OffloadBed(kind)) {
      bed.option(ChannelOption.ALLOW_HALF_CLOSURE, true)
          .serve(
              channel -> {
                inside.set(
                    new OffloadWitness(channel) {
                      @Override
                      public void userEventTriggered(ChannelHandlerContext ctx, Object event)
                          throws Exception {
                        super.userEventTriggered(ctx, event);
                        if (event == ChannelInputShutdownReadComplete.INSTANCE) {
                          ctx.write(bytes("bye"));
                          ctx.flush();
                          ((DuplexChannel) ctx.channel())
                              .shutdownOutput()
                              .addListener(done -> note(ctx, "output shut " + done.isSuccess()));
                        }
                      }
                    });
                channel.pipeline().addLast(bed.offload(inside.get()));
              });
      BlockingQueue<String> ended = new LinkedTransferQueue<>();
      Harness.Client client = bed.connect(b -> b.option(ChannelOption.ALLOW_HALF_CLOSURE, true));
      client
          .channel
          .pipeline()
          .addLast(
              new ChannelInboundHandlerAdapter() {
                @Override
                public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
                  ended.add(event.toString());
                }
              });
      client.send("a").sync();
      ((SocketChannel) client.channel).shutdownOutput().sync();
      assertEquals("bye", client.await(3));
      assertFalse(poll(ended).equals("nothing"), "the server has shut its output down");
      inside.get().skipTo("active");
      inside.get().expect("read a");
      inside.get().skipTo("event input shutdown");
      inside.get().expect("event input shutdown complete", "output shut true");
      client.channel.close().sync();
      client.peer.close();
      inside.get().skipTo("inactive");
      inside.get().expect("unregistered", "removed");
      inside.get().expectNoMore();
    }
  }

  // ---- Scheduled tasks

  @ParameterizedTest
  @EnumSource
  void scheduledTasksRunInsideAndCanBeCancelled(Kind kind) throws Exception {
    BlockingQueue<String> seen = new LinkedTransferQueue<>();
    AtomicInteger cancelled = new AtomicInteger();
    try (OffloadBed bed = new OffloadBed(kind)) {
      bed.serve(
          channel ->
              channel
                  .pipeline()
                  .addLast(
                      bed.offload(
                          new Does(
                              (ctx, message) -> {
                                Future<?> never =
                                    ctx.executor()
                                        .schedule(cancelled::incrementAndGet, 1, TimeUnit.HOURS);
                                seen.add("cancelled " + never.cancel(false));
                                AtomicInteger runs = new AtomicInteger();
                                AtomicReference<Future<?>> periodic = new AtomicReference<>();
                                periodic.set(
                                    ctx.channel()
                                        .eventLoop()
                                        .scheduleAtFixedRate(
                                            () -> {
                                              seen.add("period" + place(ctx, channel));
                                              if (runs.incrementAndGet() == 3) {
                                                periodic.get().cancel(false);
                                                last(ctx, channel, seen);
                                              }
                                            },
                                            1,
                                            1,
                                            TimeUnit.MILLISECONDS));
                              }))));
      Harness.Client client = bed.connect();
      client.send("go");
      for (String event : List.of("cancelled true", "period", "period", "period", "once", "told")) {
        assertEquals(event, poll(seen));
      }
      assertEquals(0, seen.size(), () -> "a cancelled task still runs: " + seen);
      assertEquals(0, cancelled.get());
      bed.assertNoErrors();
    }
  }

  private static void last(ChannelHandlerContext ctx, Channel channel, BlockingQueue<String> seen) {
    ctx.executor()
        .schedule(() -> seen.add("once" + place(ctx, channel)), 5, TimeUnit.MILLISECONDS)
        .addListener(done -> seen.add("told" + place(ctx, channel)));
  }

  /** A handler of Netty's that lives by its executor's timers. */
  @ParameterizedTest
  @EnumSource
  void anIdleStateHandlerWorksInside(Kind kind) throws Exception {
    AtomicReference<OffloadWitness> inside = new AtomicReference<>();
    try (OffloadBed bed = new OffloadBed(kind)) {
      bed.serve(
          channel -> {
            inside.set(
                new OffloadWitness(channel) {
                  @Override
                  public void userEventTriggered(ChannelHandlerContext ctx, Object event)
                      throws Exception {
                    note(ctx, ((IdleStateEvent) event).state().toString());
                  }
                });
            channel
                .pipeline()
                .addLast(
                    bed.offload(
                        new IdleStateHandler(20, 0, 0, TimeUnit.MILLISECONDS), inside.get()));
          });
      Harness.Client client = bed.connect();
      assertNotNull(client.peer);
      inside.get().skipTo("READER_IDLE");
      inside.get().skipTo("READER_IDLE");
      client.channel.close().sync();
      inside.get().skipTo("removed");
    }
  }

  @AfterAll
  static void noBufferIsLost() throws InterruptedException {
    LeakCounter.assertNoLeaks();
  }
}
