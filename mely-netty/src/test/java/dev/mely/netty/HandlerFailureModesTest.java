package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.Migrating;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.BlockingOperationException;
import io.netty.util.concurrent.Future;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** N6: failure modes 1, 2 and 12: a handler that fails harms no other channel. */
@Timeout(300)
class HandlerFailureModesTest {
  /** Throws what it is told to; answers otherwise. */
  private static class Throwing extends Harness.Echo {
    private final Queue<Throwable> caught;

    Throwing(Queue<Throwable> caught) {
      this.caught = caught;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
      switch (((ByteBuf) message).toString(StandardCharsets.US_ASCII)) {
        case "exception" -> {
          ReferenceCountUtil.release(message);
          throw new IllegalStateException("planted");
        }
        case "error" -> {
          ReferenceCountUtil.release(message);
          throw new StackOverflowError("planted");
        }
        default -> super.channelRead(ctx, message);
      }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      caught.add(cause);
      ctx.writeAndFlush(Unpooled.copiedBuffer("caught", StandardCharsets.US_ASCII));
    }
  }

  @ParameterizedTest
  @EnumSource
  void mode01AHandlerThatThrowsIsToldOnceAndItsColorGoesOn(Io io) throws Exception {
    throwAndGoOn(io, "exception", IllegalStateException.class);
  }

  @ParameterizedTest
  @EnumSource
  void mode02AnErrorInAHandlerCostsNobodyElseAnything(Io io) throws Exception {
    throwAndGoOn(io, "error", StackOverflowError.class);
  }

  private static void throwAndGoOn(Io io, String word, Class<? extends Throwable> type)
      throws Exception {
    Queue<Throwable> caught = new ConcurrentLinkedQueue<>();
    MelyEventLoopGroup group = io.builder().cores(2).runtime(Migrating.by(2)).build();
    try (Harness harness = new Harness(group, () -> new Throwing(caught))) {
      Harness.Client client = harness.connect();
      Harness.Client other = harness.connect();
      for (int i = 0; i < 10; i++) {
        client.send(word);
        assertEquals("caught", client.await(6));
        other.send("fine");
        assertEquals("fine", other.await(4));
        client.send("fine");
        assertEquals("fine", client.await(4));
      }
      assertEquals(10, caught.size());
      caught.forEach(cause -> assertInstanceOf(type, cause));
      group.cores().threads().forEach(thread -> assertTrue(thread.isAlive()));
    }
  }

  @ParameterizedTest
  @EnumSource
  void mode02AnErrorInATaskLeavesTheWorkerAlive(Io io) throws Exception {
    MelyEventLoopGroup group = io.builder().cores(2).runtime(Migrating.by(3)).build();
    try (Harness harness = new Harness(group, Harness.Echo::new)) {
      Harness.Client client = harness.connect();
      EventLoop loop = client.peer.eventLoop();
      for (Error error : List.of(new OutOfMemoryError("planted"), new LinkageError("planted"))) {
        loop.execute(
            () -> {
              throw error;
            });
        Future<?> told =
            loop.submit(
                () -> {
                  throw error;
                });
        assertEquals(error, told.await().cause());
        Future<?> later =
            loop.schedule(
                () -> {
                  throw error;
                },
                1,
                TimeUnit.MILLISECONDS);
        assertEquals(error, later.await().cause());
        client.send("fine");
        assertEquals("fine", client.await(4));
      }
      group.cores().threads().forEach(thread -> assertTrue(thread.isAlive()));
    }
  }

  /**
   * One core: events of the other colors are polled for and served between the hot color's batches.
   */
  @ParameterizedTest
  @EnumSource
  void mode12AHotColorKeepsNobodyWaitingForLong(Io io) throws Exception {
    AtomicLong events = new AtomicLong();
    AtomicLong served = new AtomicLong();
    class Noting extends Harness.Echo {
      @Override
      public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
        served.set(events.get());
        super.channelRead(ctx, message);
      }
    }
    try (Harness harness = new Harness(io.builder().cores(1).build(), Noting::new)) {
      Harness.Client hot = harness.connect();
      Harness.Client other = harness.connect();
      AtomicBoolean stop = new AtomicBoolean();
      EventLoop loop = hot.peer.eventLoop();
      Runnable again =
          new Runnable() {
            @Override
            public void run() {
              events.incrementAndGet();
              long end = System.nanoTime() + 20_000;
              while (System.nanoTime() < end) {
                Thread.onSpinWait();
              }
              if (!stop.get()) {
                loop.execute(this); // always something pending
              }
            }
          };
      for (int i = 0; i < 20; i++) {
        loop.execute(again);
      }
      Harness.await().until(() -> events.get() > 0);
      int rounds = 50;
      long waited = 0;
      for (int i = 0; i < rounds; i++) {
        // From the moment that it is sent to the one where it is read: the client's threads compete
        // for the CPU as well, and what they wait for does not count.
        AtomicLong sent = new AtomicLong(-1);
        var sending = other.send("other").addListener(done -> sent.set(events.get()));
        assertEquals("other", other.await(5));
        sending.sync();
        Harness.await().until(() -> sent.get() >= 0);
        waited += Math.max(0, served.get() - sent.get());
      }
      long perRound = waited / rounds;
      stop.set(true);
      // Two batches would do.
      assertTrue(perRound < 1_000, () -> perRound + " events of the hot color in each wait");
    }
  }

  /** See {@link BlockedCoreTest} for more. */
  @ParameterizedTest
  @EnumSource
  void mode12ABlockingHandlerHoldsUpItsOwnChannelAlone(Io io) throws Exception {
    CountDownLatch inside = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    class Blocking extends Harness.Echo {
      @Override
      public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
        if (((ByteBuf) message).toString(StandardCharsets.US_ASCII).equals("block")) {
          inside.countDown();
          release.await();
        }
        super.channelRead(ctx, message);
      }
    }
    try (Harness harness = new Harness(io.builder().cores(2).build(), Blocking::new)) {
      List<Harness.Client> clients = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        clients.add(harness.connect());
      }
      clients.get(0).send("block");
      inside.await();
      for (Harness.Client client : clients.subList(1, 6)) {
        client.send("go on");
        assertEquals("go on", client.await(5));
      }
      release.countDown();
      assertEquals("block", clients.get(0).await(5));
    }
  }

  /** The color's home core is blocked, so its timers and events run on the other one. */
  @ParameterizedTest
  @EnumSource
  void mode12TimersOfAStolenColorAreSerialWithIt(Io io) throws Exception {
    MelyEventLoopGroup group = io.builder().cores(2).build();
    AtomicInteger running = new AtomicInteger();
    AtomicInteger together = new AtomicInteger();
    Runnable work =
        () -> {
          if (running.getAndIncrement() != 0) {
            together.incrementAndGet();
          }
          Thread.yield();
          running.getAndDecrement();
        };
    class Working extends Harness.Echo {
      @Override
      public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
        work.run();
        super.channelRead(ctx, message);
      }
    }
    try (Harness harness = new Harness(group, Working::new)) {
      Harness.Client client = harness.connect();
      ColorEventLoop loop = Harness.loop(client.peer);
      int home = loop.poller().core();
      CountDownLatch release = Harness.block(group.cores().loop(home));
      Future<?> ticks = loop.scheduleAtFixedRate(work, 0, 200, TimeUnit.MICROSECONDS);
      List<Future<?>> timers = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        timers.add(loop.schedule(work, 50L * i, TimeUnit.MICROSECONDS));
        loop.execute(work);
        if (i % 20 == 0) {
          client.send("x");
          client.await(1);
        }
      }
      for (Future<?> timer : timers) {
        assertTrue(timer.await(120, TimeUnit.SECONDS));
      }
      assertTrue(loop.submit(() -> loop.color().core()).get() != home, "it was stolen");
      ticks.cancel(false);
      release.countDown();
      assertEquals(0, together.get());
    }
  }

  @ParameterizedTest
  @EnumSource
  void mode12BlockingOnOnesOwnFutureIsRefused(Io io) throws Exception {
    Queue<Throwable> caught = new ConcurrentLinkedQueue<>();
    class Waiting extends ChannelInboundHandlerAdapter {
      @Override
      public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
        try {
          ctx.newPromise().sync();
        } catch (BlockingOperationException e) {
          caught.add(e);
        }
        ctx.writeAndFlush(message);
      }
    }
    MelyEventLoopGroup group = io.builder().cores(2).runtime(Migrating.by(5)).build();
    try (Harness harness = new Harness(group, Waiting::new)) {
      Harness.Client client = harness.connect();
      for (int i = 0; i < 10; i++) {
        client.send("wait");
        assertEquals("wait", client.await(4));
      }
      assertEquals(10, caught.size());
      EventLoop loop = client.peer.eventLoop();
      Future<?> task = loop.submit(() -> loop.submit(() -> 1).get());
      Throwable thrown = assertThrows(ExecutionException.class, task::get);
      assertInstanceOf(BlockingOperationException.class, thrown.getCause());
    }
  }

  /** Not detected, unlike on Netty's group where both share a thread; but reported. */
  @Test
  void mode12WaitingForAnotherColorOfTheOnlyCoreIsReported() throws Exception {
    MelyEventLoopGroup group = Io.NIO.builder().cores(1).build();
    try (Harness harness = new Harness(group, Harness.Echo::new)) {
      Channel one = harness.connect().peer;
      Channel other = harness.connect().peer;
      AtomicReference<Thread> worker = new AtomicReference<>();
      Future<?> waiting =
          one.eventLoop()
              .submit(
                  () -> {
                    worker.set(Thread.currentThread());
                    return other.eventLoop().submit(() -> 1).sync();
                  });
      Harness.await().until(() -> group.statistics().total().blockedHandlers() > 0);
      assertFalse(waiting.isDone());
      worker.get().interrupt(); // the only way out
      Throwable thrown = assertThrows(ExecutionException.class, waiting::get);
      assertInstanceOf(InterruptedException.class, thrown.getCause());
      assertEquals(2, other.eventLoop().submit(() -> 2).get());
    }
  }

  @AfterAll
  static void noBufferIsLost() throws InterruptedException {
    LeakCounter.assertNoLeaks();
  }
}
