package dev.mely.netty;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.Migrating;
import dev.mely.annotation.Color;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.FixedLengthFrameDecoder;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.EventExecutorGroup;
import io.netty.util.concurrent.UnorderedThreadPoolEventExecutor;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** N3: handlers with another color than their channel keep the order, and run one at a time. */
@Timeout(300)
class ColoredOrderTest {
  private static final int CHANNELS = 2;
  private static final int MESSAGES = 10_000;

  private final Queue<String> faults = new ConcurrentLinkedQueue<>();

  /** Shared by all channels of its color. Plain on purpose: two threads would lose an update. */
  private static final class Count {
    int messages;
    int added;
    int removed;
  }

  /** Checks, on its own color, that the messages of its channel come in order. */
  private abstract class Step extends ChannelDuplexHandler {
    private final Count count;
    private int next;

    Step(Count count) {
      this.count = count;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
      check(ctx);
      count.added++;
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
      check(ctx);
      count.removed++;
    }

    final void check(ChannelHandlerContext ctx) {
      if (!ctx.executor().inEventLoop()) {
        faults.add(this + " is outside of its color");
      }
      if (ctx.executor() == ctx.channel().eventLoop() || ctx.channel().eventLoop().inEventLoop()) {
        faults.add(this + " runs in the channel's color");
      }
    }

    final void step(ChannelHandlerContext ctx, int number) {
      check(ctx);
      if (number != next) {
        faults.add(this + " expected " + next + ", got " + number);
      }
      next = number + 1;
      count.messages++;
    }
  }

  @Color("parse")
  private final class Parse extends Step {
    Parse(Count count) {
      super(count);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      ByteBuf frame = (ByteBuf) message;
      int number = frame.readInt();
      frame.release();
      step(ctx, number);
      ctx.fireChannelRead(number);
    }
  }

  @Color("look-up")
  private final class LookUp extends Step {
    LookUp(Count count) {
      super(count);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      step(ctx, (Integer) message);
      ctx.fireChannelRead(message);
    }

    /** What the handler behind it writes passes through here, in its order. */
    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
      check(ctx);
      ctx.write(message, promise);
    }
  }

  @Color("answer")
  private final class Answer extends Step {
    private int done;

    Answer(Count count) {
      super(count);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      int number = (Integer) message;
      step(ctx, number);
      ctx.write(Unpooled.buffer(4).writeInt(number)) // pooled ones are traced by the leak detector
          .addListener(
              future -> {
                check(ctx); // a promise of this context tells in this color
                if (!future.isSuccess() || done++ != number) {
                  faults.add("write " + number + ": " + future);
                }
              });
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
      ctx.flush();
    }
  }

  /** The client's end: the answers must come back in the order of the questions. */
  private final class Answers extends ChannelInboundHandlerAdapter {
    final CountDownLatch all = new CountDownLatch(1);
    private int next;

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      ByteBuf frame = (ByteBuf) message;
      int number = frame.readInt();
      frame.release();
      if (number != next++) {
        faults.add("answer " + number + " came as " + (next - 1));
      }
      if (next == MESSAGES) {
        all.countDown();
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void orderHoldsPerChannelAndSharedColorsAreSerial(Io io) throws Exception {
    Count parsed = new Count();
    Count looked = new Count();
    Count answered = new Count();
    MelyEventLoopGroup group = io.builder().cores(3).runtime(Migrating.by(4711)).build();
    try (Harness harness =
        Harness.colored(
            group,
            channel ->
                new ChannelHandler[] {
                  new FixedLengthFrameDecoder(4),
                  new Parse(parsed),
                  new LookUp(looked),
                  new Answer(answered)
                })) {
      List<Harness.Client> clients = new ArrayList<>();
      List<Answers> ends = new ArrayList<>();
      for (int c = 0; c < CHANNELS; c++) {
        Harness.Client client = harness.connect();
        Answers end = new Answers();
        client.channel.pipeline().replace(client, "frames", new FixedLengthFrameDecoder(4));
        client.channel.pipeline().addLast(end);
        clients.add(client);
        ends.add(end);
      }
      for (int sent = 0; sent < MESSAGES; sent += 100) {
        for (Harness.Client client : clients) {
          ByteBuf some = Unpooled.buffer(400);
          for (int i = sent; i < sent + 100; i++) {
            some.writeInt(i);
          }
          client.channel.writeAndFlush(some);
        }
      }
      for (Answers end : ends) {
        boolean finished = end.all.await(120, TimeUnit.SECONDS);
        assertEquals(List.of(), faults.stream().limit(5).toList());
        assertTrue(finished, () -> "an answer is missing: " + group.statistics());
      }
      for (Harness.Client client : clients) {
        client.channel.close().sync();
        client.peer.closeFuture().sync();
      }
      for (var color : List.of("parse", "look-up", "answer")) {
        Count count = color.equals("parse") ? parsed : color.equals("look-up") ? looked : answered;
        EventExecutor executor = group.executor(color);
        assertEquals(CHANNELS * MESSAGES, executor.submit(() -> count.messages).get(), color);
        assertEquals(CHANNELS, executor.submit(() -> count.added).get(), color);
        await().until(() -> executor.submit(() -> count.removed).get() == CHANNELS);
      }
    }
    assertEquals(List.of(), List.copyOf(faults));
  }

  /** The test above would notice an executor that does not keep the order. */
  @Test
  @SuppressWarnings("deprecation")
  void anExecutorWithoutOrderIsCaught() throws Exception {
    EventExecutorGroup unordered = new UnorderedThreadPoolEventExecutor(3);
    Count parsed = new Count();
    try (Harness harness =
        Harness.colored(
            Io.NIO.builder().cores(2).build(),
            channel -> {
              channel
                  .pipeline()
                  .addLast(new FixedLengthFrameDecoder(4))
                  .addLast(unordered, new Parse(parsed));
              return new ChannelHandler[0];
            })) {
      Harness.Client client = harness.connect();
      for (int i = 0; i < MESSAGES; i++) {
        client.channel.writeAndFlush(Unpooled.buffer(4).writeInt(i));
      }
      await().until(() -> faults.stream().anyMatch(fault -> fault.contains("expected")));
      client.channel.close().sync();
      client.peer.closeFuture().sync();
    } finally {
      unordered.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
    }
  }

  @AfterAll
  static void noBufferIsLost() throws InterruptedException {
    LeakCounter.assertNoLeaks();
  }
}
