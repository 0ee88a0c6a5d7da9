package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.Migrating;
import dev.mely.Permissions;
import dev.mely.annotation.Access;
import dev.mely.annotation.Color;
import dev.mely.annotation.Cost;
import dev.mely.annotation.Penalty;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.EventExecutorGroup;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** N3, E1, E2: handlers that only read a color, or ask for several. */
@Timeout(300)
class PermissionHandlersTest {
  private static void end(MelyEventLoopGroup group) throws InterruptedException {
    group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
  }

  private static void pass(CountDownLatch entered, CountDownLatch open) {
    entered.countDown();
    try {
      assertTrue(open.await(120, TimeUnit.SECONDS));
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  // ---- Beside each other, and alone

  /** Its state is another channel's too: two of them are inside at one time. */
  @Color(value = "table", access = Access.READ)
  private static final class Meeting extends Harness.Echo {
    private final CyclicBarrier barrier;

    Meeting(CyclicBarrier barrier) {
      this.barrier = barrier;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
      barrier.await(120, TimeUnit.SECONDS);
      super.channelRead(ctx, message);
    }
  }

  @ParameterizedTest
  @EnumSource
  void readersOfTwoChannelsMeet(Io io) throws Exception {
    CyclicBarrier barrier = new CyclicBarrier(2);
    try (Harness harness =
        Harness.colored(
            io.builder().cores(2).build(),
            channel -> new ChannelHandler[] {new Meeting(barrier)})) {
      Harness.Client one = harness.connect();
      Harness.Client two = harness.connect();
      for (int i = 0; i < 10; i++) {
        one.send("a");
        two.send("b");
        assertEquals("a", one.await(1));
        assertEquals("b", two.await(1));
      }
    }
  }

  /** While a reader is inside, a writer waits; so does the reader that has come after that. */
  @Test
  void aWriterWaitsForReadersAndReadersForAWriter() throws Exception {
    MelyEventLoopGroup group = Io.NIO.builder().cores(2).build();
    try {
      EventExecutorGroup readers = group.executor(Permissions.read(group.color("table")));
      List<String> seen = new ArrayList<>(); // plain: each of these excludes the next
      CountDownLatch entered = new CountDownLatch(1);
      CountDownLatch open = new CountDownLatch(1);
      readers.next().execute(() -> pass(entered, open));
      assertTrue(entered.await(120, TimeUnit.SECONDS));
      CountDownLatch over = new CountDownLatch(1);
      group.executor("table").execute(() -> seen.add("writer"));
      readers
          .next()
          .execute(
              () -> {
                seen.add("reader");
                over.countDown();
              });
      group.executor("elsewhere").submit(() -> {}).sync(); // there are cores enough
      group.executor("elsewhere").submit(() -> {}).sync();
      assertEquals(List.of(), seen);
      open.countDown();
      assertTrue(over.await(120, TimeUnit.SECONDS));
      assertEquals(List.of("writer", "reader"), seen);
    } finally {
      end(group);
    }
  }

  @ParameterizedTest
  @CsvSource({"1, NIO", "2, EPOLL", "3, NIO", "4, EPOLL", "5, NIO", "6, EPOLL"})
  void channelsKeepTheirOrderAndWritersAreAlone(long seed, String io) throws Exception {
    System.out.println("handlers with permissions, seed " + seed + ", " + io);
    assertEquals("", PermissionRun.run(seed, io));
  }

  // ---- Inside, and outside

  /** Says where it is. */
  private static class Where extends ChannelInboundHandlerAdapter {
    final BlockingQueue<String> seen;
    final String name;

    Where(String name, BlockingQueue<String> seen) {
      this.name = name;
      this.seen = seen;
    }

    void note(ChannelHandlerContext ctx, String event) {
      boolean inside = ctx.executor().inEventLoop() && !ctx.channel().eventLoop().inEventLoop();
      seen.add(name + " " + event + (inside ? "" : " outside"));
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
      String text = ((ByteBuf) message).toString(StandardCharsets.US_ASCII);
      if (text.equals("!")) {
        ((ByteBuf) message).release();
        throw new IllegalStateException(text);
      }
      ctx.writeAndFlush(message).addListener(done -> note(ctx, "told"));
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

  @Color(value = "witness", access = Access.READ)
  static final class Reads extends Where {
    Reads(BlockingQueue<String> seen) {
      super("reader", seen);
    }
  }

  @ParameterizedTest
  @EnumSource
  void eachCallbackOfAChannelsLifeIsInsideAndInOrder(Io io) throws Exception {
    BlockingQueue<String> seen = new LinkedBlockingQueue<>();
    MelyEventLoopGroup group = io.builder().cores(2).runtime(Migrating.by(5)).build();
    try (Harness harness =
        Harness.colored(group, channel -> new ChannelHandler[] {new Reads(seen)})) {
      Harness.Client client = harness.connect();
      client.send("a");
      assertEquals("a", client.await(1));
      for (String event : List.of("added", "active", "read", "told")) {
        assertEquals("reader " + event, seen.poll(120, TimeUnit.SECONDS));
      }
      client.send("!");
      for (String event : List.of("read", "caught !")) {
        assertEquals("reader " + event, seen.poll(120, TimeUnit.SECONDS));
      }
      client.channel.close().sync();
      for (String event : List.of("inactive", "removed")) {
        assertEquals("reader " + event, seen.poll(120, TimeUnit.SECONDS));
      }
      assertEquals(0, group.statistics().total().errors(), "the color itself saw no failure");
    }
    assertEquals(List.of(), List.copyOf(seen));
  }

  /** Hands on what it reads, to the next handler. */
  @Color(value = "shelf", access = Access.READ)
  private static final class Looks extends ChannelInboundHandlerAdapter {
    volatile boolean inside;
    volatile boolean insideOfTheWriters;
    final EventExecutor writers;

    Looks(EventExecutor writers) {
      this.writers = writers;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      inside = true;
      insideOfTheWriters = writers.inEventLoop();
      ctx.fireChannelRead(message);
      inside = false;
    }
  }

  @Color("shelf")
  private static final class Changes extends Harness.Echo {
    private final Looks looks;
    volatile boolean besideAReader;

    Changes(Looks looks) {
      this.looks = looks;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
      besideAReader |= looks.inside || !ctx.executor().inEventLoop();
      super.channelRead(ctx, message);
    }
  }

  /** Netty calls a handler directly if its executor says that the thread is inside. */
  @Test
  void aWriterBehindAReaderIsNotCalledByIt() throws Exception {
    MelyEventLoopGroup group = Io.NIO.builder().cores(2).build();
    Looks looks = new Looks(group.executor("shelf"));
    Changes changes = new Changes(looks);
    try (Harness harness =
        Harness.colored(group, channel -> new ChannelHandler[] {looks, changes})) {
      Harness.Client client = harness.connect();
      client.send("a");
      assertEquals("a", client.await(1));
      assertFalse(looks.insideOfTheWriters);
      assertFalse(changes.besideAReader);
    }
  }

  @Test
  void executorsOfOneColorAreNotInsideOfEachOther() throws Exception {
    MelyEventLoopGroup group = Io.NIO.builder().cores(2).build();
    try {
      dev.mely.Color color = group.color("table");
      assertSame(color, group.color("table"));
      EventExecutor writer = group.executor("table");
      EventExecutorGroup readers = group.executor(Permissions.read(color));
      EventExecutor one = readers.next();
      EventExecutor two = readers.next();
      EventExecutor several = group.executor(Permissions.write(color, group.color("other"))).next();
      assertNotSame(one, two);
      assertFalse(one.inEventLoop());
      assertEquals("one", inside(one, one, two, writer, several));
      assertEquals("two", inside(two, one, two, writer, several));
      assertEquals("writer", inside(writer, one, two, writer, several));
      // It has the color for itself: what it calls there runs in its turn.
      assertEquals("writer several", inside(several, one, two, writer, several));
      assertEquals(
          "",
          group.executor("elsewhere").submit(() -> whoIsInside(one, two, writer, several)).get());
    } finally {
      end(group);
    }
  }

  private static String inside(EventExecutor where, EventExecutor... all) throws Exception {
    return where.submit(() -> whoIsInside(all)).get();
  }

  private static String whoIsInside(EventExecutor... all) {
    List<String> names = List.of("one", "two", "writer", "several");
    List<String> found = new ArrayList<>();
    for (int i = 0; i < all.length; i++) {
      if (all[i].inEventLoop()) {
        found.add(names.get(i));
      }
    }
    return String.join(" ", found);
  }

  // ---- Costs

  @Color(value = "costly", access = Access.READ)
  @Cost(nanos = 30_000)
  @Penalty(4)
  private static final class Costly extends Harness.Echo {}

  @Cost(nanos = 2_000)
  private static final class Cheap extends ChannelInboundHandlerAdapter {}

  @Test
  void costsOfAReaderAreItsExecutors() throws Exception {
    MelyEventLoopGroup group = Io.NIO.builder().cores(1).build();
    BlockingQueue<EventExecutor> found = new LinkedBlockingQueue<>();
    try (Harness harness =
        Harness.colored(
            group,
            channel -> {
              Costly costly = new Costly();
              ColoredInitializer.colored(channel.pipeline()).addLast(new Cheap(), costly);
              found.add(channel.pipeline().context(costly).executor());
              return new ChannelHandler[0];
            })) {
      Harness.Client client = harness.connect();
      for (int i = 0; i < 3; i++) {
        client.send("a");
        client.await(1);
      }
      TaskHandler tasks = ((ColorExecutor) found.take()).taskHandler();
      assertEquals(Duration.ofNanos(30_000), Duration.ofNanos(tasks.costNanos()));
      assertEquals(4, tasks.penalty());
      ReadyHandler ready = Harness.readyHandler(client.peer);
      assertEquals(2_000, ready.costNanos());
      assertEquals(1, ready.penalty());
    }
  }

  /** A channel of one request is worth a steal, too. */
  @Test
  void whatIsMeasuredIsWhereTheNextChannelBegins() throws Exception {
    MelyEventLoopGroup group = Io.NIO.builder().cores(1).build();
    try {
      EventExecutorGroup readers = group.executor(Permissions.read(group.color("table")));
      ColorExecutor one = (ColorExecutor) readers.next();
      assertEquals(0, one.taskHandler().costNanos());
      for (int i = 0; i < 20; i++) {
        one.submit(() -> {}).sync();
      }
      assertTrue(one.taskHandler().costNanos() > 0);
      assertTrue(((ColorExecutor) readers.next()).taskHandler().costNanos() > 0);
    } finally {
      end(group);
    }
  }

  @AfterAll
  static void noBufferIsLost() throws InterruptedException {
    LeakCounter.assertNoLeaks();
  }
}
