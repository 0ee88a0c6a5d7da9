package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.Migrating;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import io.netty.channel.SingleThreadEventLoop;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** N6: the end of a group is that of any event loop group. */
@Timeout(300)
class ShutdownTest {
  @ParameterizedTest
  @EnumSource
  void closesChannelsAndLeavesNoThreadAndNoDescriptor(Io io) throws Exception {
    run(io, "warm up", 2); // opens what the process keeps: libraries, random sources
    long before = Descriptors.open();
    Queue<String> events = run(io, "leaves-nothing", 30);
    assertEquals(30, events.stream().filter("inactive"::equals).count());
    assertEquals(30, events.stream().filter("unregistered"::equals).count());
    Harness.await().until(() -> Descriptors.open() <= before);
    assertTrue(
        Thread.getAllStackTraces().keySet().stream()
            .noneMatch(thread -> thread.getName().startsWith("leaves-nothing")));
  }

  /** Each is in the middle of a request, with colors stolen and bytes on their way both ways. */
  @ParameterizedTest
  @EnumSource
  void aThousandBusyChannelsLeaveNoThreadAndNoDescriptor(Io io) throws Exception {
    run(io, "warm up", 2);
    long before = Descriptors.open();
    int channels = 1_000;
    AtomicInteger inactive = new AtomicInteger();
    AtomicInteger unregistered = new AtomicInteger();
    AtomicInteger exchanges = new AtomicInteger();
    class Busy extends Harness.Echo {
      @Override
      public void channelRead(ChannelHandlerContext ctx, Object message) {
        exchanges.incrementAndGet();
        ctx.writeAndFlush(message);
      }

      @Override
      public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        ctx.close(); // the other end was first
      }
    }
    class Ending extends Busy {
      @Override
      public void channelInactive(ChannelHandlerContext ctx) {
        inactive.incrementAndGet();
      }

      @Override
      public void channelUnregistered(ChannelHandlerContext ctx) {
        unregistered.incrementAndGet();
      }
    }
    MelyEventLoopGroup group =
        io.builder()
            .cores(3)
            .threadFactory(new DefaultThreadFactory("thousand"))
            .runtime(Migrating.by(31))
            .build();
    try (Harness harness = new Harness(group, Ending::new)) {
      Bootstrap clients =
          new Bootstrap() // on the same group: nobody is left to close the other end properly
              .group(group)
              .channel(group.socketChannelType())
              .handler(
                  new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                      channel.pipeline().addLast(new Busy());
                    }
                  });
      List<ChannelFuture> connected = new ArrayList<>();
      for (int i = 0; i < channels; i++) {
        connected.add(clients.connect(harness.server.localAddress()));
      }
      for (ChannelFuture connection : connected) {
        connection.sync();
      }
      Awaitility.await()
          .atMost(120, TimeUnit.SECONDS)
          .until(() -> harness.accepted.size() == channels);
      for (ChannelFuture connection : connected) {
        connection.channel().writeAndFlush(Unpooled.wrappedBuffer(new byte[64]));
      }
      Awaitility.await().atMost(120, TimeUnit.SECONDS).until(() -> exchanges.get() > 5 * channels);
      assertTrue(group.shutdownGracefully(0, 30, TimeUnit.SECONDS).await(120, TimeUnit.SECONDS));
      assertEquals(0, group.groupState().registrations());
    }
    assertEquals(channels, inactive.get());
    assertEquals(channels, unregistered.get());
    Harness.await().until(() -> Descriptors.open() <= before);
    assertTrue(
        Thread.getAllStackTraces().keySet().stream()
            .noneMatch(thread -> thread.getName().startsWith("thousand")));
  }

  private static Queue<String> run(Io io, String name, int channels) throws Exception {
    Queue<String> events = new ConcurrentLinkedQueue<>();
    class Ends extends Harness.Echo {
      @Override
      public void channelInactive(ChannelHandlerContext ctx) {
        events.add("inactive");
      }

      @Override
      public void channelUnregistered(ChannelHandlerContext ctx) {
        events.add("unregistered");
      }
    }
    MelyEventLoopGroup group =
        io.builder()
            .cores(2)
            .threadFactory(new DefaultThreadFactory(name))
            .runtime(Migrating.by(11))
            .build();
    try (Harness harness = new Harness(group, Ends::new)) {
      List<Harness.Client> clients = new ArrayList<>();
      for (int i = 0; i < channels; i++) {
        clients.add(harness.connect());
      }
      for (Harness.Client client : clients) {
        client.send("z");
        client.await(1);
      }
      Future<?> end = group.shutdownGracefully(0, 10, TimeUnit.SECONDS);
      assertTrue(group.isShuttingDown());
      end.sync();
      assertTrue(group.isShutdown());
      assertTrue(group.isTerminated());
      assertFalse(harness.server.isOpen());
      assertEquals(0, group.groupState().registrations());
    }
    return events;
  }

  @Test
  void theQuietPeriodStartsAnewWithEveryTask() throws Exception {
    while (!isNeverQuiet(300, 20)) {
      // This thread did not get its CPU, and the group was quiet for long enough: once more.
    }
  }

  /**
   * Shuts down a group that has a task now and then: it must not end before it was quiet.
   *
   * @return false if it was quiet meanwhile
   */
  private static boolean isNeverQuiet(long quietMillis, int tasks) throws Exception {
    MelyEventLoopGroup group = MelyEventLoopGroup.builder().cores(2).build();
    EventLoop loop = group.next();
    AtomicInteger ran = new AtomicInteger();
    long last = System.nanoTime();
    long longest = 0;
    Future<?> end = group.shutdownGracefully(quietMillis, 60_000, TimeUnit.MILLISECONDS);
    for (int i = 0; i < tasks; i++) {
      Thread.sleep(quietMillis / 10);
      long next = System.nanoTime();
      boolean ended = end.isDone();
      try {
        loop.execute(ran::incrementAndGet);
      } catch (RejectedExecutionException e) {
        ended = true;
      }
      longest = Math.max(longest, System.nanoTime() - last);
      last = next;
      if (ended) {
        long gap = TimeUnit.NANOSECONDS.toMillis(longest);
        assertTrue(gap >= quietMillis, () -> "it has ended after " + gap + " ms without a task");
        return false;
      }
    }
    end.sync();
    assertEquals(tasks, ran.get());
    return true;
  }

  @Test
  void whatWasAcceptedRunsOrItsFutureIsCancelled() throws Exception {
    for (int round = 0; round < 20; round++) {
      MelyEventLoopGroup group =
          MelyEventLoopGroup.builder().cores(2).runtime(Migrating.by(round)).build();
      Queue<Future<?>> accepted = new ConcurrentLinkedQueue<>();
      AtomicInteger ran = new AtomicInteger();
      List<Thread> producers = new ArrayList<>();
      CountDownLatch started = new CountDownLatch(2);
      for (int p = 0; p < 2; p++) {
        Thread producer =
            new Thread(
                () -> {
                  started.countDown();
                  try {
                    while (true) {
                      accepted.add(group.next().submit(ran::incrementAndGet));
                    }
                  } catch (RejectedExecutionException e) {
                    // The end.
                  }
                });
        producers.add(producer);
        producer.start();
      }
      started.await();
      group.shutdownGracefully(0, 0, TimeUnit.SECONDS).sync();
      for (Thread producer : producers) {
        producer.join();
      }
      int completed = 0;
      for (Future<?> future : accepted) {
        assertTrue(future.await(120, TimeUnit.SECONDS), "every future completes");
        completed += future.isSuccess() ? 1 : 0;
      }
      assertEquals(ran.get(), completed);
      assertThrows(RejectedExecutionException.class, () -> group.next().execute(() -> {}));
    }
  }

  @Test
  void scheduledTasksAreCancelled() throws Exception {
    MelyEventLoopGroup group = MelyEventLoopGroup.builder().cores(2).build();
    List<ScheduledFuture<?>> futures = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      futures.add(group.next().schedule(() -> {}, 1, TimeUnit.HOURS));
      futures.add(group.next().scheduleAtFixedRate(() -> {}, 1, 1, TimeUnit.HOURS));
    }
    group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    for (ScheduledFuture<?> future : futures) {
      assertTrue(future.isCancelled());
    }
  }

  /** It hears of the shutdown when it is over. */
  @Test
  void whatAColorLeavesThatWasBusyAllThroughTheShutdownIsCancelled() throws Exception {
    MelyEventLoopGroup group = MelyEventLoopGroup.builder().cores(2).build();
    List<Future<?>> left = new ArrayList<>();
    AtomicInteger heard = new AtomicInteger();
    AtomicInteger hooks = new AtomicInteger();
    ColorEventLoop loop = (ColorEventLoop) group.next();
    for (int i = 0; i < 2; i++) {
      ColorEventLoop busy = loop;
      Future<?> scheduled = busy.schedule(() -> {}, 1, TimeUnit.HOURS);
      left.add(scheduled.addListener(future -> heard.incrementAndGet()));
      busy.addShutdownHook(hooks::incrementAndGet);
      CountDownLatch runs = new CountDownLatch(1);
      busy.execute(
          () -> {
            runs.countDown();
            stayUntilNothingIsAccepted(busy);
          });
      runs.await();
      // Asked while it runs: the core where it was registered may have lost it to a thief.
      loop = group.cores().loop(1 - busy.color().core());
    }
    group.shutdownGracefully(0, 0, TimeUnit.SECONDS).sync();
    for (Future<?> future : left) {
      assertTrue(future.isCancelled(), future::toString);
    }
    assertEquals(2, heard.get(), "listeners are told, before the end");
    assertEquals(2, hooks.get());
  }

  private static void stayUntilNothingIsAccepted(EventLoop loop) {
    while (true) {
      try {
        loop.execute(() -> {});
        Thread.sleep(10);
      } catch (InterruptedException e) {
        // A stubborn handler.
      } catch (RejectedExecutionException e) {
        return;
      }
    }
  }

  @Test
  void shutdownHooksRunOnceUnlessRemoved() throws Exception {
    MelyEventLoopGroup group = MelyEventLoopGroup.builder().cores(2).build();
    SingleThreadEventLoop loop = (SingleThreadEventLoop) group.next();
    AtomicInteger ran = new AtomicInteger();
    Runnable removed = () -> ran.addAndGet(100);
    loop.addShutdownHook(ran::incrementAndGet);
    loop.addShutdownHook(removed);
    loop.removeShutdownHook(removed);
    loop.schedule(() -> {}, 1, TimeUnit.MILLISECONDS).sync(); // the hook outlives a timer
    loop.submit(() -> {}).sync();
    group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    assertEquals(1, ran.get());
  }

  @Test
  void terminationWaitsForAHandlerThatRuns() throws Exception {
    MelyEventLoopGroup group = MelyEventLoopGroup.builder().cores(2).build();
    CountDownLatch inside = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    AtomicInteger finished = new AtomicInteger();
    group
        .next()
        .execute(
            () -> {
              inside.countDown();
              boolean done = false;
              while (!done) {
                try {
                  release.await();
                  done = true;
                } catch (InterruptedException e) {
                  // A stubborn handler.
                }
              }
              finished.incrementAndGet();
            });
    inside.await();
    Future<?> end = group.shutdownGracefully(0, 0, TimeUnit.SECONDS);
    assertFalse(end.await(2_500), "not terminated while a handler runs");
    assertFalse(group.isTerminated());
    release.countDown();
    end.sync();
    assertEquals(1, finished.get());
  }

  @Test
  void allEndsAreTheSameEnd() throws Exception {
    MelyEventLoopGroup group = MelyEventLoopGroup.builder().cores(1).build();
    assertFalse(group.awaitTermination(1, TimeUnit.MILLISECONDS));
    EventLoop loop = group.next();
    Future<?> end = loop.shutdownGracefully(0, 10, TimeUnit.SECONDS);
    assertSame(end, loop.terminationFuture());
    assertTrue(loop.awaitTermination(120, TimeUnit.SECONDS));
    assertTrue(group.awaitTermination(120, TimeUnit.SECONDS));
    assertTrue(group.terminationFuture().await(120, TimeUnit.SECONDS));
    assertTrue(group.shutdownGracefully().isDone());
    assertThrows(
        IllegalArgumentException.class, () -> group.shutdownGracefully(2, 1, TimeUnit.SECONDS));
  }

  @Test
  void aRegistrationThatComesTooLateFailsAndLeavesTheChannelClosed() throws Exception {
    MelyEventLoopGroup group = MelyEventLoopGroup.builder().cores(1).build();
    group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    NioSocketChannel channel = new NioSocketChannel();
    channel.pipeline().addLast(new ChannelInboundHandlerAdapter());
    assertFalse(group.register(channel).await().isSuccess());
    assertFalse(channel.isOpen());
  }

  @Test
  void aTaskMayShutDownItsOwnGroup() throws Exception {
    MelyEventLoopGroup group = MelyEventLoopGroup.builder().cores(1).build();
    group.next().execute(() -> group.shutdownGracefully(0, 1, TimeUnit.SECONDS));
    assertTrue(group.terminationFuture().await(120, TimeUnit.SECONDS));
  }
}
