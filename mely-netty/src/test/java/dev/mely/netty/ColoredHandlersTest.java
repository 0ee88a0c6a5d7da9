package dev.mely.netty;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.annotation.Color;
import dev.mely.annotation.Cost;
import dev.mely.annotation.Penalty;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.FixedLengthFrameDecoder;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.EventExecutorGroup;
import io.netty.util.concurrent.UnorderedThreadPoolEventExecutor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** N3, N4: handlers with another color than their channel. */
@Timeout(90)
class ColoredHandlersTest {
  private static final int CHANNELS = 2;
  private static final int MESSAGES = 10_000;

  private final Queue<String> faults = new ConcurrentLinkedQueue<>();

  /** A server whose pipelines obey annotations. */
  private static Harness harness(MelyEventLoopGroup group, Function<Channel, ChannelHandler[]> made)
      throws Exception {
    return new Harness(
        group,
        () ->
            new ColoredInitializer<Channel>() {
              @Override
              protected void initChannel(Channel channel, ChannelPipeline pipeline) {
                pipeline.addLast(made.apply(channel));
              }
            });
  }

  // ---- Order and exclusion

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
    MelyEventLoopGroup group = io.builder().cores(3).randomMigration(4711).build();
    try (Harness harness =
        harness(
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
        boolean finished = end.all.await(60, TimeUnit.SECONDS);
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
        harness(
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

  // ---- Life of a handler

  @Color("witness")
  private static class Witness extends ChannelInboundHandlerAdapter {
    final BlockingQueue<String> seen = new LinkedBlockingQueue<>();

    private void note(ChannelHandlerContext ctx, String event) {
      seen.add(ctx.executor().inEventLoop() ? event : event + " outside");
    }

    String next() throws InterruptedException {
      String event = seen.poll(Harness.PATIENCE_SECONDS, TimeUnit.SECONDS);
      return event == null ? "nothing" : event;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
      note(ctx, "added");
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
      note(ctx, "removed");
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
      note(ctx, "active");
      ctx.fireChannelActive();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      note(ctx, "read");
      ctx.fireChannelRead(message);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
      note(ctx, "inactive");
      ctx.fireChannelInactive();
    }

    @Override
    @SuppressWarnings("deprecation")
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      note(ctx, "caught " + cause.getMessage());
    }
  }

  @ParameterizedTest
  @EnumSource
  void removalTakesEffectInTheHandlersColorAndOthersServeOn(Io io) throws Exception {
    Witness witness = new Witness();
    MelyEventLoopGroup group = io.builder().cores(2).randomMigration(3).build();
    try (Harness harness =
        harness(group, channel -> new ChannelHandler[] {witness, new Harness.Echo()})) {
      Harness.Client client = harness.connect();
      client.send("a");
      assertEquals("a", client.await(1));
      client.peer.pipeline().remove(witness);
      client.send("b");
      assertEquals("b", client.await(1));
      client.channel.close().sync();
      for (String event : List.of("added", "active", "read", "removed")) {
        assertEquals(event, witness.next());
      }
      client.peer.closeFuture().sync();
      assertEquals(List.of(), List.copyOf(witness.seen), "once is enough");
    }
  }

  @ParameterizedTest
  @EnumSource
  void theEndOfTheChannelReachesTheHandlerInOrder(Io io) throws Exception {
    Witness witness = new Witness();
    MelyEventLoopGroup group = io.builder().cores(2).randomMigration(5).build();
    try (Harness harness =
        harness(group, channel -> new ChannelHandler[] {witness, new Harness.Echo()})) {
      Harness.Client client = harness.connect();
      client.send("a");
      assertEquals("a", client.await(1));
      client.channel.close().sync();
      for (String event : List.of("added", "active", "read", "inactive", "removed")) {
        assertEquals(event, witness.next());
      }
    }
    assertEquals(List.of(), List.copyOf(witness.seen));
  }

  @Color("faulty")
  private static final class Faulty extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      String text = ((ByteBuf) message).toString(java.nio.charset.StandardCharsets.US_ASCII);
      if (text.startsWith("!")) {
        ((ByteBuf) message).release();
        throw new IllegalStateException(text);
      }
      ctx.fireChannelRead(message);
    }
  }

  @Test
  void whatAColoredHandlerThrowsIsCaughtBehindItAndItsColorGoesOn() throws Exception {
    Witness witness = new Witness();
    MelyEventLoopGroup group = Io.NIO.builder().cores(2).build();
    try (Harness harness =
        harness(
            group, channel -> new ChannelHandler[] {new Faulty(), witness, new Harness.Echo()})) {
      Harness.Client client = harness.connect();
      client.send("!");
      for (String event : List.of("added", "active", "caught !")) {
        assertEquals(event, witness.next());
      }
      client.send("b");
      assertEquals("b", client.await(1));
      assertEquals("read", witness.next());
      assertEquals(0, group.statistics().total().errors(), "the color itself saw no failure");
    }
  }

  @Test
  void shutdownEndsColoredHandlersAndTheirExecutor() throws Exception {
    Witness witness = new Witness();
    MelyEventLoopGroup group = Io.NIO.builder().cores(2).build();
    EventExecutor executor = group.executor("witness");
    AtomicInteger ran = new AtomicInteger();
    try (Harness harness = harness(group, channel -> new ChannelHandler[] {witness})) {
      harness.connect();
      assertEquals("added", witness.next());
      for (int i = 0; i < 1_000; i++) {
        executor.execute(ran::incrementAndGet);
      }
      executor.schedule(ran::incrementAndGet, 1, TimeUnit.HOURS);
      group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    }
    assertEquals(1_000, ran.get(), "what is pending runs, what is far in the future does not");
    for (String event : List.of("active", "inactive", "removed")) {
      assertEquals(event, witness.next());
    }
    assertTrue(executor.isTerminated());
    assertThrows(RejectedExecutionException.class, () -> executor.execute(() -> {}));
  }

  // ---- Executors

  @Test
  void executorsAreFoundByNameForAsLongAsSomebodyHoldsThem() throws Exception {
    MelyEventLoopGroup group = Io.NIO.builder().cores(1).build();
    try {
      EventExecutor held = group.executor("held");
      for (int i = 0; i < 1_000; i++) {
        group.executor("tenant " + i).execute(() -> {});
      }
      await()
          .until(
              () -> {
                System.gc();
                return group.executors().size() <= 2; // the core remembers the last that ran
              });
      assertSame(held, group.executor("held"));
      assertThrows(IllegalArgumentException.class, () -> group.executor(""));
    } finally {
      group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    }
  }

  /** A pending scheduled task is a use of the color, too. */
  @Test
  void anExecutorLivesWhileATaskOfItWaits() throws Exception {
    MelyEventLoopGroup group = Io.NIO.builder().cores(1).build();
    try {
      group.executor("later").schedule(() -> {}, 1, TimeUnit.HOURS);
      group.executor("other").submit(() -> {}).sync(); // the core forgets which it ran last
      for (int i = 0; i < 5; i++) {
        System.gc();
        assertTrue(group.executors().knows("later"));
      }
    } finally {
      group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    }
  }

  @Test
  void anExecutorOfAColorSharesItWithTheRuntimesEvents() throws Exception {
    MelyEventLoopGroup group = Io.NIO.builder().cores(2).randomMigration(9).build();
    try {
      dev.mely.Color color = group.mely().newColor();
      EventExecutor executor = group.executor(color);
      int[] count = new int[1]; // plain on purpose
      assertFalse(executor.inEventLoop());
      for (int i = 0; i < 10_000; i++) {
        group.mely().execute(color, () -> count[0]++);
        executor.execute(
            () -> {
              if (executor.inEventLoop() && color.isCurrent()) {
                count[0]++;
              }
            });
      }
      assertEquals(20_000, executor.submit(() -> count[0]).get());
    } finally {
      group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    }
  }

  @Test
  void aColorOfAnotherRuntimeIsRefused() throws Exception {
    MelyEventLoopGroup group = Io.NIO.builder().cores(1).build();
    MelyEventLoopGroup other = Io.NIO.builder().cores(1).build();
    try {
      EventExecutor executor = group.executor(other.mely().newColor());
      assertThrows(IllegalArgumentException.class, () -> executor.execute(() -> {}));
    } finally {
      group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
      other.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    }
  }

  // ---- The view of the pipeline

  @Color("painted")
  private static class Painted extends ChannelInboundHandlerAdapter {}

  /** Inherits the color. */
  private static final class PaintedToo extends Painted {}

  @Test
  @SuppressWarnings("deprecation")
  void everyAddMethodObeysAnnotations() throws Exception {
    MelyEventLoopGroup group = Io.NIO.builder().cores(1).build();
    EventExecutor painted = group.executor("painted");
    EventExecutor given = group.executor("given");
    BlockingQueue<List<Object>> found = new LinkedBlockingQueue<>();
    try (Harness harness =
        harness(
            group,
            channel -> {
              ChannelPipeline real = channel.pipeline();
              ChannelPipeline view = ColoredInitializer.colored(real);
              view.addLast("mid", new Harness.Echo())
                  .addLast("last", new Painted())
                  .addFirst("first", new PaintedToo())
                  .addBefore("mid", "before", new Painted())
                  .addAfter("mid", "after", new Painted())
                  .addLast(given, "given", new Painted())
                  .addLast((EventExecutor) null, "none", new Painted())
                  .addFirst(new Painted(), new Harness.Echo());
              List<Object> executors = new ArrayList<>();
              for (ChannelHandler handler : real.toMap().values()) {
                executors.add(real.context(handler).executor());
              }
              executors.add(view.equals(real) && view.channel() == channel);
              found.add(executors);
              return new ChannelHandler[0];
            })) {
      Harness.Client client = harness.connect();
      Object own = client.peer.eventLoop();
      // Among them: the two initializers.
      assertEquals(
          List.of(
              painted, own, painted, own, own, painted, own, painted, painted, given, painted,
              true),
          found.poll(20, TimeUnit.SECONDS));
    }
  }

  @Test
  void underAnotherGroupNothingIsColored() throws Exception {
    var channel = new io.netty.channel.embedded.EmbeddedChannel();
    try {
      assertSame(channel.pipeline(), ColoredInitializer.colored(channel.pipeline()));
    } finally {
      ChannelFuture closed = channel.close();
      assertTrue(closed.isDone());
    }
  }

  // ---- Costs

  @Color("costly")
  @Cost(nanos = 30_000)
  @Penalty(4)
  private static final class Costly extends Harness.Echo {}

  @Cost(nanos = 2_000)
  private static final class Cheap extends ChannelInboundHandlerAdapter {}

  @Test
  void costsOfAColoredHandlerAreItsColors() throws Exception {
    MelyEventLoopGroup group = Io.NIO.builder().cores(1).build();
    try (Harness harness =
        harness(group, channel -> new ChannelHandler[] {new Cheap(), new Costly()})) {
      Harness.Client client = harness.connect();
      for (int i = 0; i < 3; i++) {
        client.send("a");
        client.await(1);
      }
      TaskHandler tasks = ((ColorExecutor) group.executor("costly")).taskHandler();
      assertEquals(Duration.ofNanos(30_000), Duration.ofNanos(tasks.costNanos()));
      assertEquals(4, tasks.penalty());
      ReadyHandler ready =
          Harness.loop(client.peer)
              .submit(
                  () -> ((Registration) Harness.loop(client.peer).served().get(0)).readyHandler())
              .get();
      assertEquals(2_000, ready.costNanos());
      assertEquals(1, ready.penalty());
    }
  }

  @Test
  void anUndeclaredColorIsMeasured() throws Exception {
    MelyEventLoopGroup group = Io.NIO.builder().cores(1).build();
    try {
      ColorExecutor executor = (ColorExecutor) group.executor("measured");
      for (int i = 0; i < 20; i++) {
        executor.submit(() -> {}).sync();
      }
      assertTrue(executor.taskHandler().costNanos() > 0);
      assertEquals(1, executor.taskHandler().penalty());
    } finally {
      group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    }
  }

  @AfterAll
  static void noBufferIsLost() throws InterruptedException {
    LeakCounter.assertNoLeaks();
  }
}
