package dev.mely.netty;

import static dev.mely.netty.OffloadBed.inLoop;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.Permissions;
import dev.mely.annotation.Access;
import dev.mely.annotation.Color;
import dev.mely.netty.OffloadBed.Kind;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipelineException;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** In which color off-loaded handlers run, and how they are set up. */
@Timeout(300)
class OffloadColorsTest {
  private static final int CHANNELS = 3;
  private static final int MESSAGES = 300;

  /** What channels share. Plain on purpose: two at once lose an update. */
  private static final class Shared {
    final AtomicInteger inside = new AtomicInteger();
    final Queue<String> faults = new ConcurrentLinkedQueue<>();
    final AtomicInteger handled = new AtomicInteger();
    int count;

    void change() {
      if (inside.getAndIncrement() != 0) {
        faults.add("two at once");
      }
      int before = count;
      Thread.yield();
      count = before + 1;
      inside.getAndDecrement();
      handled.getAndIncrement();
    }
  }

  private static void assertExclusion(Kind kind, Shared shared, Settings settings)
      throws Exception {
    try (OffloadBed bed = new OffloadBed(kind, 3, 17)) {
      Supplier<OffloadHandler> made = settings.of(bed);
      bed.serve(channel -> channel.pipeline().addLast(bed.here(made.get())));
      List<Channel> channels = new ArrayList<>();
      for (int i = 0; i < CHANNELS; i++) {
        channels.add(bed.connect().peer);
      }
      for (int sent = 0; sent < MESSAGES; sent += 10) {
        for (Channel channel : channels) {
          channel
              .eventLoop()
              .submit(
                  () -> {
                    for (int i = 0; i < 10; i++) {
                      channel.pipeline().fireChannelRead("m");
                    }
                  });
        }
        int expected = (sent + 10) * CHANNELS;
        Harness.await().until(() -> shared.handled.get() == expected);
      }
      assertEquals(List.of(), List.copyOf(shared.faults));
      assertEquals(CHANNELS * MESSAGES, shared.count);
    }
  }

  private interface Settings {
    Supplier<OffloadHandler> of(OffloadBed bed);
  }

  @ParameterizedTest
  @EnumSource(names = {"NIO", "EPOLL", "LOCAL", "STOCK"})
  void channelsThatShareAColorExcludeEachOther(Kind kind) throws Exception {
    Shared shared = new Shared();
    assertExclusion(
        kind,
        shared,
        bed -> {
          dev.mely.Color color = bed.mely.newColor();
          return () -> OffloadHandler.of((ctx, message) -> shared.change()).in(color);
        });
  }

  @ParameterizedTest
  @EnumSource(names = {"NIO", "EPOLL", "LOCAL", "STOCK"})
  void channelsThatWriteAPermissionExcludeEachOther(Kind kind) throws Exception {
    Shared shared = new Shared();
    assertExclusion(
        kind,
        shared,
        bed -> {
          Permissions asked = Permissions.write(bed.mely.newColor(), bed.mely.newColor());
          return () -> OffloadHandler.of((ctx, message) -> shared.change()).in(asked);
        });
  }

  @Color("offload-table")
  private static final class Named extends ChannelInboundHandlerAdapter {
    private final Shared shared;

    Named(Shared shared) {
      this.shared = shared;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      shared.change();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"NIO", "EPOLL", "LOCAL", "STOCK"})
  void theColorThatAHandlersClassNamesIsObeyed(Kind kind) throws Exception {
    Shared shared = new Shared();
    assertExclusion(kind, shared, bed -> () -> OffloadHandler.of(new Named(shared)));
  }

  /** By name it is the group's color: other events of it exclude the handler. */
  @Test
  void aNamedColorIsTheGroupsColor() throws Exception {
    Shared shared = new Shared();
    try (OffloadBed bed = new OffloadBed(Kind.NIO, 3, 5)) {
      bed.serve(channel -> channel.pipeline().addLast(bed.offload(new Named(shared))));
      Channel channel = bed.connect().peer;
      MelyEventLoopGroup group = (MelyEventLoopGroup) bed.group;
      for (int i = 0; i < MESSAGES; i++) {
        bed.mely.execute(group.color("offload-table"), shared::change);
        group.executor("offload-table").execute(shared::change);
        inLoop(channel, pipeline -> pipeline.fireChannelRead("m"));
      }
      Harness.await().until(() -> shared.handled.get() == 3 * MESSAGES);
      assertEquals(List.of(), List.copyOf(shared.faults));
      assertEquals(3 * MESSAGES, shared.count);
    }
  }

  // ---- In parallel

  private static void assertParallel(Kind kind, Settings settings, Meeting meeting)
      throws Exception {
    try (OffloadBed bed = new OffloadBed(kind)) {
      Supplier<OffloadHandler> made = settings.of(bed);
      bed.serve(channel -> channel.pipeline().addLast(bed.here(made.get())));
      Channel one = bed.connect().peer;
      Channel two = bed.connect().peer;
      one.pipeline().fireChannelRead("m");
      two.pipeline().fireChannelRead("m");
      assertTrue(meeting.met.await(Harness.PATIENCE_SECONDS, TimeUnit.SECONDS), "both at once");
    }
  }

  /** Two handlers wait for each other. */
  private static final class Meeting {
    private final CyclicBarrier barrier = new CyclicBarrier(2);
    private final CountDownLatch met = new CountDownLatch(2);

    void enter() throws Exception {
      barrier.await(Harness.PATIENCE_SECONDS, TimeUnit.SECONDS);
      met.countDown();
    }

    OffloadHandler handler() {
      return OffloadHandler.of((ctx, message) -> enter());
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"NIO", "EPOLL", "STOCK"})
  void channelsThatOnlyReadAPermissionMeet(Kind kind) throws Exception {
    Meeting meeting = new Meeting();
    assertParallel(
        kind,
        bed -> {
          Permissions asked = Permissions.read(bed.mely.newColor());
          return () -> meeting.handler().in(asked);
        },
        meeting);
  }

  @ParameterizedTest
  @EnumSource(names = {"NIO", "EPOLL", "STOCK"})
  void handlersOfTwoChannelsMeet(Kind kind) throws Exception {
    Meeting meeting = new Meeting();
    assertParallel(kind, bed -> () -> meeting.handler(), meeting);
  }

  @Color(value = "offload-shelf", access = Access.READ)
  private static final class Reader extends ChannelInboundHandlerAdapter {
    private final Meeting meeting;

    Reader(Meeting meeting) {
      this.meeting = meeting;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
      meeting.enter();
    }
  }

  @Test
  void handlersWhoseClassOnlyReadsAColorMeet() throws Exception {
    Meeting meeting = new Meeting();
    assertParallel(Kind.NIO, bed -> () -> OffloadHandler.of(new Reader(meeting)), meeting);
  }

  /** A handler works while its channel's event loop runs other tasks. */
  @ParameterizedTest
  @EnumSource(names = {"NIO", "EPOLL", "STOCK"})
  void aHandlerRunsBesideItsChannel(Kind kind) throws Exception {
    CountDownLatch entered = new CountDownLatch(1);
    CountDownLatch open = new CountDownLatch(1);
    try (OffloadBed bed = new OffloadBed(kind)) {
      bed.serve(
          channel ->
              channel
                  .pipeline()
                  .addLast(
                      bed.here(
                          OffloadHandler.of(
                              (ctx, message) -> {
                                entered.countDown();
                                assertTrue(open.await(Harness.PATIENCE_SECONDS, TimeUnit.SECONDS));
                              }))));
      Channel channel = bed.connect().peer;
      channel.pipeline().fireChannelRead("m");
      assertTrue(entered.await(Harness.PATIENCE_SECONDS, TimeUnit.SECONDS));
      inLoop(channel, pipeline -> open.countDown()); // else it blocks for ever
      bed.assertNoErrors();
    }
  }

  // ---- Misuse

  @Test
  void wrongSettingsAreRefusedAtOnce() {
    assertThrows(IllegalArgumentException.class, OffloadHandler::of);
    assertThrows(NullPointerException.class, () -> OffloadHandler.of((ChannelHandler) null));
    assertThrows(
        NullPointerException.class, () -> OffloadHandler.of((OffloadHandler.MessageHandler) null));
    OffloadHandler handler = OffloadHandler.of(new ChannelInboundHandlerAdapter());
    assertThrows(NullPointerException.class, () -> handler.in((dev.mely.Color) null));
    assertThrows(NullPointerException.class, () -> handler.in((Permissions) null));
    assertThrows(NullPointerException.class, () -> handler.on(null));
    for (int wrong : new int[] {0, -1, Integer.MIN_VALUE}) {
      assertThrows(IllegalArgumentException.class, () -> handler.maxPending(wrong, 1));
      assertThrows(IllegalArgumentException.class, () -> handler.maxPending(1, wrong));
    }
    handler.maxPending(1, 1).maxPending(Integer.MAX_VALUE, Integer.MAX_VALUE);
  }

  @Test
  void inAForeignGroupItAsksForARuntime() throws Exception {
    BlockingQueue<Throwable> caught = new LinkedTransferQueue<>();
    EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    OffloadWitness inside = new OffloadWitness(null);
    try {
      Channel channel = new NioServerSocketChannel();
      group.register(channel).sync();
      channel
          .pipeline()
          .addLast(
              new ChannelInboundHandlerAdapter() {
                @Override
                public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
                  caught.add(cause);
                }
              });
      inLoop(channel, pipeline -> pipeline.addFirst(OffloadHandler.of(inside)));
      Throwable cause = caught.poll(Harness.PATIENCE_SECONDS, TimeUnit.SECONDS);
      assertInstanceOf(ChannelPipelineException.class, cause);
      assertTrue(cause.getMessage().endsWith("removed."), cause.getMessage());
      assertFalse(cause.getMessage().contains("failed"), cause.getMessage());
      assertInstanceOf(IllegalStateException.class, cause.getCause());
      assertTrue(cause.getCause().getMessage().contains("on("), cause.getCause().getMessage());
      channel.close().sync();
      inside.expectNoMore();
      assertEquals(0, caught.size(), caught::toString);
    } finally {
      group.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
    }
  }

  @AfterAll
  static void noBufferIsLost() throws InterruptedException {
    LeakCounter.assertNoLeaks();
  }
}
