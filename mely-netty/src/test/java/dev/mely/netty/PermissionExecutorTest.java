package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.Migrating;
import dev.mely.Permissions;
import dev.mely.annotation.Access;
import dev.mely.annotation.Color;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.local.LocalAddress;
import io.netty.channel.local.LocalChannel;
import io.netty.channel.local.LocalIoHandler;
import io.netty.channel.local.LocalServerChannel;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.EventExecutorGroup;
import io.netty.util.concurrent.ScheduledFuture;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * N3, E1: the executors of handlers that only read a color, or ask for several, and their tasks.
 */
@Timeout(300)
class PermissionExecutorTest {
  private static void end(MelyEventLoopGroup group) throws InterruptedException {
    group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
  }

  // ---- Executors of a channel

  /** Handlers of one channel that ask for the same run in one executor; channels in several. */
  @Test
  void aChannelsReadersShareAnExecutorAndChannelsDoNot() throws Exception {
    MelyEventLoopGroup group = Io.NIO.builder().cores(1).build();
    BlockingQueue<String> seen = new LinkedBlockingQueue<>();
    BlockingQueue<EventExecutor> found = new LinkedBlockingQueue<>();
    try (Harness harness =
        Harness.colored(
            group,
            channel -> {
              ChannelPipeline pipeline = channel.pipeline();
              ColoredInitializer.colored(pipeline)
                  .addLast("1", new PermissionHandlersTest.Reads(seen))
                  .addFirst("2", new PermissionHandlersTest.Reads(seen));
              found.add(pipeline.context("1").executor());
              found.add(pipeline.context("2").executor());
              return new ChannelHandler[0];
            })) {
      harness.connect();
      harness.connect();
      List<EventExecutor> executors = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        executors.add(found.poll(120, TimeUnit.SECONDS));
      }
      assertSame(executors.get(0), executors.get(1));
      assertSame(executors.get(2), executors.get(3));
      assertNotSame(executors.get(0), executors.get(2));
    }
  }

  /** One object in two pipelines: it is called by both at one time. */
  @ChannelHandler.Sharable
  @Color(value = "table", access = Access.READ)
  private static final class Shared extends Harness.Echo {
    private final CyclicBarrier barrier = new CyclicBarrier(2);

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
      barrier.await(120, TimeUnit.SECONDS);
      super.channelRead(ctx, message);
    }
  }

  @Test
  void aSharableReaderIsCalledByTwoChannelsAtOnce() throws Exception {
    Shared shared = new Shared();
    try (Harness harness =
        Harness.colored(
            Io.NIO.builder().cores(2).build(), channel -> new ChannelHandler[] {shared})) {
      Harness.Client one = harness.connect();
      Harness.Client two = harness.connect();
      one.send("a");
      two.send("b");
      assertEquals("a", one.await(1));
      assertEquals("b", two.await(1));
    }
  }

  /** Ten thousand channels come and go: nothing of them stays. */
  @Test
  void executorsGoWithTheirChannels() throws Exception {
    int connections = 10_000;
    MelyEventLoopGroup group =
        MelyEventLoopGroup.builder().cores(2).ioHandlerFactory(LocalIoHandler.newFactory()).build();
    Queue<WeakReference<EventExecutor>> executors = new ConcurrentLinkedQueue<>();
    BlockingQueue<String> seen = new LinkedBlockingQueue<>();
    LocalAddress address = new LocalAddress("come-and-go");
    try {
      new ServerBootstrap()
          .group(group)
          .channel(LocalServerChannel.class)
          .childHandler(
              new ColoredInitializer<Channel>() {
                @Override
                protected void initChannel(Channel channel, ChannelPipeline pipeline) {
                  PermissionHandlersTest.Reads reads = new PermissionHandlersTest.Reads(seen);
                  pipeline.addLast(reads);
                  executors.add(new WeakReference<>(channel.pipeline().context(reads).executor()));
                }
              })
          .bind(address)
          .sync();
      Bootstrap bootstrap =
          new Bootstrap()
              .group(group)
              .channel(LocalChannel.class)
              .handler(
                  new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {}
                  });
      for (int i = 0; i < connections; i += 100) {
        List<ChannelFuture> clients = new ArrayList<>();
        for (int k = 0; k < 100; k++) {
          // Named: Netty's own names for them are 32-bit hashes, and two may have the same.
          clients.add(bootstrap.connect(address, new LocalAddress("client " + (i + k))));
        }
        for (ChannelFuture client : clients) {
          client.sync().channel().close();
        }
      }
      Map<String, Integer> counts = new TreeMap<>();
      for (int i = 0; i < 4 * connections; i++) {
        String event = seen.poll(120, TimeUnit.SECONDS);
        assertNotNull(event, counts::toString);
        counts.merge(event, 1, Integer::sum);
      }
      for (String event : List.of("added", "active", "inactive", "removed")) {
        assertEquals(connections, counts.get("reader " + event));
      }
      assertEquals(connections, executors.size());
      Harness.await()
          .until(
              () -> {
                System.gc();
                executors.removeIf(executor -> executor.get() == null);
                return executors.size() <= 10; // a core remembers the last that ran, and the like
              });
      assertTrue(group.executors().size() <= 1, () -> group.dump());
    } finally {
      end(group);
    }
  }

  /** A name keeps its color as long as the color or one of its executors is in use. */
  @Test
  void aNameIsOneColorForAsLongAsItIsInUse() throws Exception {
    MelyEventLoopGroup group = Io.NIO.builder().cores(1).build();
    try {
      dev.mely.Color color = group.color("kept");
      for (int i = 0; i < 5; i++) {
        group.executor("kept").submit(() -> {}).sync();
        group.executor("other").submit(() -> {}).sync(); // the core forgets which it ran last
        System.gc();
      }
      assertSame(color, group.color("kept"));
      assertTrue(group.executor("kept").submit(color::isCurrent).get());
      EventExecutor reader = group.executor(Permissions.read(color)).next();
      assertTrue(reader.submit(color::isCurrent).get());
      assertThrows(IllegalArgumentException.class, () -> group.executor(""));
      assertThrows(NullPointerException.class, () -> group.executor((Permissions) null));
    } finally {
      end(group);
    }
  }

  // ---- Tasks

  @Test
  void tasksRunInOrderEachWithItsPermissions() throws Exception {
    MelyEventLoopGroup group = Io.NIO.builder().cores(3).runtime(Migrating.by(11)).build();
    try {
      dev.mely.Color read = group.color("read");
      dev.mely.Color written = group.color("written");
      EventExecutor executor = group.executor(Permissions.read(read).andWrite(written)).next();
      List<Integer> ran = new ArrayList<>(); // plain on purpose
      AtomicInteger without = new AtomicInteger();
      for (int i = 0; i < 5_000; i++) {
        int number = i;
        executor.execute(
            () -> {
              ran.add(number);
              boolean may =
                  executor.inEventLoop()
                      && read.isCurrent()
                      && !read.isRunBy(Thread.currentThread())
                      && written.isRunBy(Thread.currentThread());
              without.addAndGet(may ? 0 : 1);
            });
      }
      List<Integer> all = executor.submit(() -> List.copyOf(ran)).get();
      for (int i = 0; i < 5_000; i++) {
        assertEquals(i, all.get(i));
      }
      assertEquals(0, without.get());
    } finally {
      end(group);
    }
  }

  /** What was registered with the color before has been done when a task of a reader runs. */
  @Test
  void aTaskSeesWhatWasRegisteredBeforeIt() throws Exception {
    MelyEventLoopGroup group = Io.NIO.builder().cores(2).build();
    try {
      dev.mely.Color color = group.color("table");
      EventExecutor reader = group.executor(Permissions.read(color)).next();
      int[] value = new int[1];
      AtomicInteger stale = new AtomicInteger();
      for (int i = 1; i <= 2_000; i++) {
        int number = i;
        group.mely().execute(color, () -> value[0] = number);
        for (int k = 0; k < 3; k++) {
          reader.execute(() -> stale.addAndGet(value[0] >= number ? 0 : 1));
        }
      }
      reader.submit(() -> {}).get();
      assertEquals(0, stale.get());
    } finally {
      end(group);
    }
  }

  @Test
  void scheduledTasksHaveThePermissionsToo() throws Exception {
    MelyEventLoopGroup group = Io.NIO.builder().cores(2).runtime(Migrating.by(3)).build();
    try {
      dev.mely.Color color = group.color("table");
      EventExecutor reader = group.executor(Permissions.read(color)).next();
      assertTrue(
          reader
              .schedule(() -> color.isCurrent() && reader.inEventLoop(), 1, TimeUnit.MILLISECONDS)
              .get());
      AtomicInteger ran = new AtomicInteger();
      AtomicInteger without = new AtomicInteger();
      ScheduledFuture<?> again =
          reader.scheduleAtFixedRate(
              () -> {
                ran.incrementAndGet();
                without.addAndGet(color.isCurrent() && reader.inEventLoop() ? 0 : 1);
              },
              0,
              50,
              TimeUnit.MICROSECONDS);
      Harness.await().until(() -> ran.get() >= 100);
      assertTrue(again.cancel(false));
      ScheduledFuture<?> never = reader.schedule(() -> {}, 1, TimeUnit.HOURS);
      BlockingQueue<Boolean> told = new LinkedBlockingQueue<>();
      reader.submit(() -> {}).sync(); // the task is among those that wait for their time
      never.addListener(end -> told.add(color.isCurrent() && reader.inEventLoop()));
      end(group);
      assertTrue(never.isCancelled());
      assertEquals(true, told.poll(120, TimeUnit.SECONDS), "a listener runs with permissions");
      assertEquals(0, without.get());
    } finally {
      end(group);
    }
  }

  /** Under a bound the color may be full when scheduled tasks are due. */
  @Test
  void aTimerNeedsNoRoomInAnyColor() throws Exception {
    int room = 8;
    MelyEventLoopGroup group =
        MelyEventLoopGroup.builder()
            .cores(2)
            .runtime(mely -> mely.maxPendingPerColor(room))
            .build();
    try {
      dev.mely.Color color = group.color("table");
      var reader = (PermissionExecutor) group.executor(Permissions.read(color)).next();
      CountDownLatch ran = new CountDownLatch(1);
      CountDownLatch release = Harness.block(group.executor("table"));
      while (true) {
        try {
          group.mely().execute(color, () -> {});
        } catch (RejectedExecutionException full) {
          break;
        }
      }
      long refused = group.statistics().refused();
      LoopTask task = new LoopTask(ran::countDown, false, false); // as a timer, it takes no room
      reader.postLater(dev.mely.Handler.<LoopTask>of(due -> due.task().run()), task, Duration.ZERO);
      CountDownLatch later = new CountDownLatch(1); // due after it, at the same core
      group
          .mely()
          .schedule(
              group.mely().newColor(color.core()),
              dev.mely.Handler.<CountDownLatch>of(CountDownLatch::countDown),
              later,
              Duration.ZERO);
      assertTrue(later.await(120, TimeUnit.SECONDS));
      assertEquals(refused, group.statistics().refused());
      assertEquals(1, ran.getCount());
      release.countDown();
      assertTrue(ran.await(120, TimeUnit.SECONDS));
    } finally {
      end(group);
    }
  }

  @Test
  void shutdownEndsExecutorsWithPermissions() throws Exception {
    MelyEventLoopGroup group = Io.NIO.builder().cores(2).build();
    EventExecutorGroup readers = group.executor(Permissions.read(group.color("table")));
    EventExecutor reader = readers.next();
    AtomicInteger ran = new AtomicInteger();
    for (int i = 0; i < 1_000; i++) {
      reader.execute(ran::incrementAndGet);
    }
    ScheduledFuture<?> never = reader.schedule(ran::incrementAndGet, 1, TimeUnit.HOURS);
    assertFalse(readers.isShuttingDown());
    assertFalse(readers.awaitTermination(1, TimeUnit.MILLISECONDS));
    readers.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync(); // as any loop of the group would
    assertEquals(1_000, ran.get(), "what is pending runs, what is far in the future does not");
    assertTrue(never.isCancelled());
    assertTrue(reader.isTerminated());
    assertTrue(readers.isTerminated());
    assertTrue(readers.isShutdown());
    assertSame(group.terminationFuture(), readers.terminationFuture());
    assertFalse(reader.inEventLoop());
    assertFalse(readers.iterator().hasNext());
    assertThrows(RejectedExecutionException.class, () -> reader.execute(() -> {}));
    assertThrows(RejectedExecutionException.class, () -> readers.submit(() -> {}));
  }

  /** What a handler forks ends before the next event of its channel begins. */
  @Test
  void aForkHoldsTheChannelsOrder() throws Exception {
    MelyEventLoopGroup group = Io.NIO.builder().cores(3).runtime(Migrating.by(7)).build();
    try {
      dev.mely.Color color = group.color("table");
      EventExecutor reader = group.executor(Permissions.read(color)).next();
      Queue<String> seen = new ConcurrentLinkedQueue<>();
      reader.execute(
          () ->
              group
                  .mely()
                  .fork()
                  .child(Permissions.read(color), handler(() -> note(seen, reader, "child")), "")
                  .then(failures -> note(seen, reader, "continuation")));
      reader.submit(() -> note(seen, reader, "next")).get();
      assertEquals(List.of("child outside", "continuation", "next"), List.copyOf(seen));
    } finally {
      end(group);
    }
  }

  private static dev.mely.Handler<String> handler(Runnable action) {
    return dev.mely.Handler.of(event -> action.run());
  }

  private static void note(Queue<String> seen, EventExecutor executor, String what) {
    seen.add(executor.inEventLoop() ? what : what + " outside");
  }

  @AfterAll
  static void noBufferIsLost() throws InterruptedException {
    LeakCounter.assertNoLeaks();
  }
}
