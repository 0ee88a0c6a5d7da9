package dev.mely.netty;

import static dev.mely.netty.OffloadBed.bytes;
import static dev.mely.netty.OffloadBed.inLoop;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.netty.OffloadBed.Kind;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.handler.codec.FixedLengthFrameDecoder;
import io.netty.handler.flow.FlowControlHandler;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What off-loaded handlers have not handled yet is bounded, and no read is lost. */
@Timeout(300)
class OffloadReadTest {
  private static final int NUMBERS = 2_000;
  private static final int BURST = 4;

  /** In front: counts what arrives. */
  private static final class Arrivals extends ChannelInboundHandlerAdapter {
    final AtomicInteger count = new AtomicInteger();

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      count.getAndIncrement();
      ctx.fireChannelRead(message);
    }
  }

  /** Off-loaded: checks that numbers count up. It blocks at the first, until it is released. */
  private static class Counts extends ChannelInboundHandlerAdapter {
    final Queue<String> faults = new ConcurrentLinkedQueue<>();
    final CountDownLatch entered = new CountDownLatch(1);
    final CountDownLatch open = new CountDownLatch(1);
    final CountDownLatch all = new CountDownLatch(1);
    volatile int next;

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
      entered.countDown();
      assertTrue(open.await(Harness.PATIENCE_SECONDS, TimeUnit.SECONDS));
      ByteBuf frame = (ByteBuf) message;
      int number = frame.readInt();
      frame.release();
      int expected = next;
      if (number != expected) {
        faults.add(number + " came as " + expected);
      }
      next = expected + 1;
      if (expected + 1 == NUMBERS) {
        all.countDown();
      }
    }

    void awaitEntered() throws InterruptedException {
      assertTrue(entered.await(Harness.PATIENCE_SECONDS, TimeUnit.SECONDS));
    }

    void awaitAll() throws InterruptedException {
      boolean complete = all.await(Harness.PATIENCE_SECONDS, TimeUnit.SECONDS);
      assertEquals(0, faults.size(), faults::toString);
      assertTrue(complete, () -> "only " + next + " came");
    }
  }

  private static void sendNumbers(Channel client) {
    for (int sent = 0; sent < NUMBERS; sent += 100) {
      ByteBuf some = Unpooled.buffer(400);
      for (int i = sent; i < sent + 100; i++) {
        some.writeInt(i);
      }
      client.writeAndFlush(some);
    }
  }

  /** Four bytes a message, some messages a read. */
  private static OffloadBed bed(Kind kind) {
    return new OffloadBed(kind)
        .option(
            ChannelOption.RECVBUF_ALLOCATOR,
            new FixedRecvByteBufAllocator(4).maxMessagesPerRead(BURST));
  }

  /** Gives a channel that would read time to do so: its event loop comes by again and again. */
  private static void assertStays(Channel channel, AtomicInteger count, int most)
      throws InterruptedException {
    for (int i = 0; i < 50; i++) {
      inLoop(channel, pipeline -> {});
      int now = count.get();
      assertTrue(now <= most, () -> now + " have arrived, not up to " + most);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"NIO", "EPOLL", "BOUNDED", "STOCK"})
  void readsAreHeldBackBeyondABoundOfMessages(Kind kind) throws Exception {
    heldBack(kind, 10, 1 << 20, 10);
  }

  @ParameterizedTest
  @EnumSource(names = {"NIO", "EPOLL", "BOUNDED", "STOCK"})
  void readsAreHeldBackBeyondABoundOfBytes(Kind kind) throws Exception {
    heldBack(kind, 1 << 20, 40, 10);
  }

  @ParameterizedTest
  @EnumSource(names = {"NIO", "EPOLL", "STOCK"})
  void theBoundMayBeOne(Kind kind) throws Exception {
    heldBack(kind, 1, 1, 1);
  }

  private static void heldBack(Kind kind, int maxMessages, int maxBytes, int bound)
      throws Exception {
    Arrivals arrivals = new Arrivals();
    Counts counts = new Counts();
    try (OffloadBed bed = bed(kind)) {
      bed.serve(
          channel ->
              channel
                  .pipeline()
                  .addLast(
                      new FixedLengthFrameDecoder(4),
                      arrivals,
                      bed.offload(counts).maxPending(maxMessages, maxBytes)));
      Harness.Client client = bed.connect();
      sendNumbers(client.channel);
      counts.awaitEntered();
      Harness.await().until(() -> arrivals.count.get() >= bound);
      assertStays(client.peer, arrivals.count, bound + BURST);
      counts.open.countDown();
      counts.awaitAll();
      bed.assertNoErrors();
    }
  }

  /** The transport reads the next message when all of what it has read may be handled. */
  @ParameterizedTest
  @EnumSource
  void manySmallBoundsLoseNoRead(Kind kind) throws Exception {
    Counts counts = new Counts();
    counts.open.countDown();
    try (OffloadBed bed = bed(kind)) {
      bed.serve(
          channel ->
              channel
                  .pipeline()
                  .addLast(new FixedLengthFrameDecoder(4), bed.offload(counts).maxPending(1, 1)));
      sendNumbers(bed.connect().channel);
      counts.awaitAll();
    }
  }

  @ParameterizedTest
  @EnumSource
  void aHandlerInFrontNeedNotForwardReadComplete(Kind kind) throws Exception {
    Arrivals arrivals = new Arrivals();
    Counts counts = new Counts();
    try (OffloadBed bed = bed(kind)) {
      bed.serve(
          channel ->
              channel
                  .pipeline()
                  .addLast(
                      new FixedLengthFrameDecoder(4),
                      arrivals,
                      new ChannelInboundHandlerAdapter() {
                        @Override
                        public void channelReadComplete(ChannelHandlerContext ctx) {}
                      },
                      bed.offload(counts).maxPending(2, 1 << 20)));
      Harness.Client client = bed.connect();
      sendNumbers(client.channel);
      counts.awaitEntered();
      Harness.await().until(() -> arrivals.count.get() >= 2);
      counts.open.countDown();
      counts.awaitAll();
    }
  }

  // ---- Without auto-read

  @ParameterizedTest
  @EnumSource
  void withoutAutoReadOneReadYieldsOneBurst(Kind kind) throws Exception {
    AtomicInteger reads = new AtomicInteger();
    Queue<String> faults = new ConcurrentLinkedQueue<>();
    Counts counts =
        new Counts() {
          @Override
          public void channelReadComplete(ChannelHandlerContext ctx) {
            reads.getAndIncrement();
            ctx.read();
          }
        };
    counts.open.countDown();
    AtomicInteger bursts = new AtomicInteger();
    try (OffloadBed bed = bed(kind).option(ChannelOption.AUTO_READ, false)) {
      bed.serve(
          channel ->
              channel
                  .pipeline()
                  .addLast(
                      new ChannelInboundHandlerAdapter() {
                        @Override
                        public void channelReadComplete(ChannelHandlerContext ctx) {
                          if (bursts.incrementAndGet() > reads.get() + 1) {
                            faults.add("burst " + bursts + " after " + reads + " reads inside");
                          }
                          ctx.fireChannelReadComplete();
                        }
                      },
                      new FixedLengthFrameDecoder(4) {
                        @Override // the superclass would read by itself
                        public void channelReadComplete(ChannelHandlerContext ctx) {
                          ctx.fireChannelReadComplete();
                        }
                      },
                      bed.offload(counts)));
      Harness.Client client = bed.connect();
      sendNumbers(client.channel);
      client.peer.read();
      counts.awaitAll();
      assertEquals(0, faults.size(), faults::toString);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"NIO", "EPOLL", "STOCK"})
  void anExplicitReadWhileManyArePendingIsNotLost(Kind kind) throws Exception {
    Counts counts = new Counts();
    try (OffloadBed bed = bed(kind).option(ChannelOption.AUTO_READ, false)) {
      bed.serve(channel -> channel.pipeline().addLast(bed.offload(counts).maxPending(1, 1 << 20)));
      Harness.Client client = bed.connect();
      sendNumbers(client.channel);
      client.peer.read();
      counts.awaitEntered();
      client.peer.read(); // one message: Netty reads more at once only with auto-read
      inLoop(client.peer, pipeline -> {});
      counts.open.countDown();
      Harness.await().until(() -> counts.next >= 2);
      while (counts.next < NUMBERS) {
        int before = counts.next;
        client.peer.read();
        Harness.await().until(() -> counts.next > before);
      }
      counts.awaitAll();
    }
  }

  /** Inside, auto-read is switched off and, later, on again: by the program alone. */
  @ParameterizedTest
  @EnumSource(names = {"NIO", "EPOLL", "LOCAL", "STOCK"})
  void autoReadIsSwitchedInside(Kind kind) throws Exception {
    Counts counts =
        new Counts() {
          private int off;

          @Override
          public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
            super.channelRead(ctx, message);
            if (++off % 10 == 0) {
              ctx.channel().config().setAutoRead(false);
              ctx.executor()
                  .schedule(
                      () -> ctx.channel().config().setAutoRead(true), 100, TimeUnit.MICROSECONDS);
            }
          }
        };
    counts.open.countDown();
    try (OffloadBed bed = bed(kind)) {
      bed.serve(
          channel ->
              channel
                  .pipeline()
                  .addLast(
                      new FixedLengthFrameDecoder(4),
                      bed.offload(counts).maxPending(Integer.MAX_VALUE, Integer.MAX_VALUE)));
      sendNumbers(bed.connect().channel);
      counts.awaitAll();
    }
  }

  /** It keeps messages and reads to itself until it is asked: all of it goes on inside. */
  @ParameterizedTest
  @EnumSource
  void aFlowControlHandlerWorksInside(Kind kind) throws Exception {
    Counts counts =
        new Counts() {
          @Override
          public void channelReadComplete(ChannelHandlerContext ctx) {
            ctx.read();
          }
        };
    counts.open.countDown();
    try (OffloadBed bed = bed(kind).option(ChannelOption.AUTO_READ, false)) {
      bed.serve(
          channel ->
              channel
                  .pipeline()
                  .addLast(
                      bed.offload(
                          new FixedLengthFrameDecoder(4), new FlowControlHandler(), counts)));
      Harness.Client client = bed.connect();
      client.peer.read();
      sendNumbers(client.channel);
      counts.awaitAll();
    }
  }

  // ---- The end while messages wait

  @ParameterizedTest
  @EnumSource
  void whatHasArrivedBeforeTheCloseIsHandledBeforeItIsTold(Kind kind) throws Exception {
    Counts counts = new Counts();
    Queue<OffloadWitness> witnesses = new ConcurrentLinkedQueue<>();
    int waiting = 100;
    try (OffloadBed bed = new OffloadBed(kind)) {
      bed.serve(
          channel -> {
            OffloadWitness witness =
                new OffloadWitness(channel) {
                  @Override
                  public void channelInactive(ChannelHandlerContext ctx) throws Exception {
                    note(ctx, "after " + counts.next);
                    super.channelInactive(ctx);
                  }
                };
            witnesses.add(witness);
            channel.pipeline().addLast(bed.offload(counts, witness));
          });
      Harness.Client client = bed.connect();
      ByteBuf[] messages = new ByteBuf[waiting];
      inLoop(
          client.peer,
          pipeline -> {
            for (int i = 0; i < waiting; i++) {
              messages[i] = Unpooled.buffer(4).writeInt(i);
              pipeline.fireChannelRead(messages[i]);
            }
            pipeline.fireChannelReadComplete();
            // Not through the witness, which sees what is written, and so through the color.
            pipeline.context(OffloadHandler.class).close();
          });
      client.peer.closeFuture().sync();
      counts.awaitEntered();
      counts.open.countDown();
      witnesses.element().skipTo("active");
      witnesses.element().skipTo("after " + waiting);
      witnesses.element().expect("inactive", "unregistered", "removed");
      witnesses.element().expectNoMore();
      assertEquals(0, counts.faults.size(), counts.faults::toString);
      for (ByteBuf message : messages) {
        assertEquals(0, message.refCnt());
      }
      bed.assertNoErrors();
    }
  }

  /** The group ends although a handler blocks; what it has not come to is released. */
  @ParameterizedTest
  @EnumSource
  void whatWaitsWhenTheGroupEndsIsReleasedAndPromisesFail(Kind kind) throws Exception {
    ByteBuf[] messages = new ByteBuf[20];
    ByteBuf[] written = new ByteBuf[20];
    AtomicInteger told = new AtomicInteger();
    CountDownLatch entered = new CountDownLatch(1);
    try (OffloadBed bed = new OffloadBed(kind)) {
      bed.serve(
          channel ->
              channel
                  .pipeline()
                  .addLast(
                      bed.here(
                          OffloadHandler.of(
                              (ctx, message) -> {
                                int number = ((ByteBuf) message).readInt();
                                written[number] = bytes("x");
                                ctx.write(written[number])
                                    .addListener(done -> told.getAndIncrement());
                                entered.countDown();
                              }))));
      Harness.Client client = bed.connect();
      inLoop(
          client.peer,
          pipeline -> {
            for (int i = 0; i < messages.length; i++) {
              messages[i] = Unpooled.buffer(4).writeInt(i);
              pipeline.fireChannelRead(messages[i]);
            }
          });
      assertTrue(entered.await(Harness.PATIENCE_SECONDS, TimeUnit.SECONDS));
      bed.shutDown();
      int handled = 0;
      for (int i = 0; i < messages.length; i++) {
        assertEquals(0, messages[i].refCnt(), "message " + i);
        if (written[i] != null) {
          handled++;
          assertEquals(0, written[i].refCnt(), "write " + i);
        }
      }
      int writes = handled;
      Harness.await().until(() -> told.get() == writes);
    }
  }

  @AfterAll
  static void noBufferIsLost() throws InterruptedException {
    LeakCounter.assertNoLeaks();
  }
}
