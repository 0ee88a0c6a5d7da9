package dev.mely.netty;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.Migrating;
import dev.mely.annotation.Color;
import dev.mely.annotation.Cost;
import dev.mely.annotation.Penalty;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.util.concurrent.EventExecutor;
import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** N3, N4: handlers with another color than their channel. */
@Timeout(300)
class ColoredHandlersTest {
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
    MelyEventLoopGroup group = io.builder().cores(2).runtime(Migrating.by(3)).build();
    try (Harness harness =
        Harness.colored(group, channel -> new ChannelHandler[] {witness, new Harness.Echo()})) {
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
    MelyEventLoopGroup group = io.builder().cores(2).runtime(Migrating.by(5)).build();
    try (Harness harness =
        Harness.colored(group, channel -> new ChannelHandler[] {witness, new Harness.Echo()})) {
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
        Harness.colored(
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
    try (Harness harness = Harness.colored(group, channel -> new ChannelHandler[] {witness})) {
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

  /**
   * The collector takes the executors of a name while its color lives, and tells of it late, when
   * there are new ones: that ends neither these nor the color, time after time.
   */
  @ParameterizedTest
  @ValueSource(strings = {"writers", "readers"})
  void lateNewsOfCollectedExecutorsDoesNotTouchTheirSuccessors(String kind) throws Exception {
    MelyEventLoopGroup group = Io.NIO.builder().cores(1).build();
    try {
      ColorExecutors all = group.executors();
      Supplier<Object> named =
          () -> kind.equals("writers") ? all.writer("tenant") : all.readers("tenant");
      dev.mely.Color color = group.color("tenant");
      Object unrelated = all.writer("other");
      Object old = named.get();
      for (int i = 0; i < 3; i++) {
        Reference<?> reference = reference(all, kind, color);
        reference.clear();
        Object successor = named.get();
        assertNotSame(old, successor);
        boolean unused = reference.enqueue();
        assertSame(unrelated, all.writer("other"));
        assertEquals(2, all.size());
        assertSame(successor, named.get());
        assertSame(color, group.color("tenant"));
        old = successor;
      }
    } finally {
      group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    }
  }

  private static Reference<?> reference(ColorExecutors all, String kind, dev.mely.Color color)
      throws ReflectiveOperationException {
    Field field = ColorExecutors.class.getDeclaredField(kind);
    field.setAccessible(true);
    return (Reference<?>) Objects.requireNonNull(((Map<?, ?>) field.get(all)).get(color));
  }

  /** A pending scheduled task is a use of the color, too. */
  @Test
  void anExecutorLivesWhileATaskOfItWaits() throws Exception {
    MelyEventLoopGroup group = Io.NIO.builder().cores(1).build();
    try {
      group.executor("later").schedule(() -> {}, 1, TimeUnit.HOURS);
      var later = new WeakReference<>(group.color("later"));
      group.executor("other").submit(() -> {}).sync(); // the core forgets which it ran last
      for (int i = 0; i < 5; i++) {
        System.gc();
        assertSame(group.color("later"), later.get());
      }
    } finally {
      group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    }
  }

  @Test
  void anExecutorOfAColorSharesItWithTheRuntimesEvents() throws Exception {
    MelyEventLoopGroup group = Io.NIO.builder().cores(2).runtime(Migrating.by(9)).build();
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
        Harness.colored(
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
          found.poll(120, TimeUnit.SECONDS));
    }
  }

  @Test
  void underAnotherGroupNothingIsColored() throws Exception {
    var channel = new io.netty.channel.embedded.EmbeddedChannel();
    try {
      ColoredInitializer.colored(channel.pipeline()).addLast("costly", new Costly());
      assertSame(channel.eventLoop(), channel.pipeline().context("costly").executor());
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
        Harness.colored(group, channel -> new ChannelHandler[] {new Cheap(), new Costly()})) {
      Harness.Client client = harness.connect();
      for (int i = 0; i < 3; i++) {
        client.send("a");
        client.await(1);
      }
      TaskHandler tasks = ((ColorExecutor) group.executor("costly")).taskHandler();
      assertEquals(Duration.ofNanos(30_000), Duration.ofNanos(tasks.costNanos()));
      assertEquals(4, tasks.penalty());
      ReadyHandler ready = Harness.readyHandler(client.peer);
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
