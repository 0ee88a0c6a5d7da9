package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.Migrating;
import dev.mely.topology.AllowedCpus;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SingleThreadEventLoop;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** N1, N2: what the group hands out. */
@Timeout(300)
class MelyEventLoopGroupTest {
  private final List<MelyEventLoopGroup> groups = new ArrayList<>();

  private MelyEventLoopGroup keep(MelyEventLoopGroup group) {
    groups.add(group);
    return group;
  }

  @AfterEach
  void shutDown() throws InterruptedException {
    for (MelyEventLoopGroup group : groups) {
      group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    }
  }

  @Test
  void standsWhereNettysGroupStands() {
    MultiThreadIoEventLoopGroup group =
        keep(
            new MelyEventLoopGroup(
                3, new DefaultThreadFactory("custom"), NioIoHandler.newFactory()));
    assertEquals(3, group.executorCount());
    assertTrue(group.isIoType(NioIoHandler.class));
    assertFalse(group.isIoType(EpollIoHandler.class));
    assertTrue(group.next().isIoType(NioIoHandler.class));
    String thread =
        group.next().submit(() -> Thread.currentThread().getName()).syncUninterruptibly().getNow();
    assertTrue(thread.startsWith("custom-"), thread);
  }

  @Test
  void nextHandsOutAFixedNumberOfColors() {
    MelyEventLoopGroup group = keep(MelyEventLoopGroup.builder().cores(2).sharedColors(5).build());
    Set<EventLoop> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    for (int i = 0; i < 100; i++) {
      seen.add(group.next());
    }
    assertEquals(5, seen.size());
  }

  @Test
  void withoutArgumentsItServesNio() throws Exception {
    MelyEventLoopGroup group = new MelyEventLoopGroup();
    try (Harness harness = new Harness(group, Harness.Echo::new)) {
      assertEquals(NioServerSocketChannel.class, group.serverSocketChannelType());
      assertEquals(AllowedCpus.system().recommendedWorkers(), group.cores().size());
      Harness.Client client = harness.connect();
      client.send("request");
      assertEquals("request", client.await(7));
    }
  }

  @Test
  void iteratorYieldsOneFixedLoopPerCore() throws Exception {
    MelyEventLoopGroup group =
        keep(MelyEventLoopGroup.builder().cores(3).runtime(Migrating.by(5)).build());
    Set<Thread> threads = new HashSet<>();
    int loops = 0;
    for (EventExecutor executor : group) {
      SingleThreadEventLoop loop = assertInstanceOf(SingleThreadEventLoop.class, executor);
      Set<Thread> own = new HashSet<>();
      for (int i = 0; i < 50; i++) {
        own.add(loop.submit(Thread::currentThread).get());
      }
      assertEquals(1, own.size(), "it does not move");
      assertEquals(own.iterator().next().getId(), loop.threadProperties().id());
      threads.addAll(own);
      loops++;
    }
    assertEquals(3, loops);
    assertEquals(3, threads.size());
  }

  @Test
  void fixedLoopsCountTheirPendingTasks() throws Exception {
    MelyEventLoopGroup group = keep(MelyEventLoopGroup.builder().cores(1).build());
    SingleThreadEventLoop loop = (SingleThreadEventLoop) group.iterator().next();
    CountDownLatch release = Harness.block(loop);
    Future<?> one = loop.submit(() -> {});
    Future<?> two = loop.submit(() -> {});
    assertEquals(2, loop.pendingTasks(), "the one that runs is not pending");
    release.countDown();
    one.sync();
    two.sync();
    assertEquals(0, loop.pendingTasks());
  }

  @ParameterizedTest
  @EnumSource
  void anAcceptedChannelHasItsOwnColor(Io io) throws Exception {
    try (Harness harness = new Harness(io.builder().cores(2).build(), Harness.Echo::new)) {
      Set<EventLoop> loops = Collections.newSetFromMap(new IdentityHashMap<>());
      loops.add(harness.server.eventLoop());
      for (int i = 0; i < 10; i++) {
        Harness.Client client = harness.connect();
        EventLoop loop = client.peer.eventLoop();
        loops.add(loop);
        client.send("x");
        client.await(1);
        assertSame(loop, client.peer.eventLoop());
      }
      assertEquals(11, loops.size());
    }
  }

  @Test
  void colorsOfClosedChannelsAreUsedAgain() throws Exception {
    try (Harness harness = new Harness(Io.NIO.builder().cores(2).build(), Harness.Echo::new)) {
      Set<EventLoop> loops = Collections.newSetFromMap(new IdentityHashMap<>());
      for (int i = 0; i < 50; i++) {
        Harness.Client client = harness.connect();
        loops.add(client.peer.eventLoop());
        client.channel.close().sync();
        client.peer.closeFuture().sync();
        // The channel leaves its color in a task that follows its close.
        client.peer.eventLoop().submit(() -> {}).sync();
      }
      assertTrue(loops.size() <= 4, () -> loops.size() + " colors for one channel at a time");
    }
  }

  @Test
  void aChannelRegisteredWithALoopJoinsThatColor() throws Exception {
    MelyEventLoopGroup group = keep(MelyEventLoopGroup.builder().cores(2).build());
    EventLoop loop = group.next();
    NioSocketChannel channel = new NioSocketChannel();
    loop.register(channel).sync();
    assertSame(loop, channel.eventLoop());
    assertTrue(loop.submit(() -> channel.eventLoop().inEventLoop()).get());
    channel.close().sync();
  }

  @Test
  void aChannelMayLeaveItsColorAndJoinAnother() throws Exception {
    try (Harness harness = new Harness(Io.NIO.builder().cores(2).build(), Harness.Echo::new)) {
      Harness.Client client = harness.connect();
      EventLoop first = client.peer.eventLoop();
      client.peer.deregister().sync();
      EventLoop second = harness.group.next();
      assertNotSame(first, second);
      second.register(client.peer).sync();
      client.send("moved");
      assertEquals("moved", client.await(5));
      assertSame(second, client.peer.eventLoop());
    }
  }

  @ParameterizedTest
  @EnumSource
  void theAssignerPutsChannelsIntoOneColor(Io io) throws Exception {
    AtomicInteger inside = new AtomicInteger();
    AtomicInteger together = new AtomicInteger();
    class Exclusive extends ChannelInboundHandlerAdapter {
      @Override
      public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
        if (inside.getAndIncrement() != 0) {
          together.getAndIncrement();
        }
        Thread.sleep(1); // room for another one, were there any
        inside.getAndDecrement();
        ctx.writeAndFlush(message);
      }
    }
    MelyEventLoopGroup group =
        io.builder()
            .cores(3)
            .runtime(Migrating.by(3))
            .colorAssigner(channel -> channel.parent() == null ? null : "the only one")
            .build();
    try (Harness harness = new Harness(group, Exclusive::new)) {
      List<Harness.Client> clients = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        clients.add(harness.connect());
      }
      assertEquals(1, group.pool().keys());
      for (int round = 0; round < 10; round++) {
        for (Harness.Client client : clients) {
          client.send("y");
        }
        for (Harness.Client client : clients) {
          client.await(1);
          assertSame(clients.get(0).peer.eventLoop(), client.peer.eventLoop());
        }
      }
      assertEquals(0, together.get(), "never two at a time");
      EventLoop color = clients.get(0).peer.eventLoop();
      for (Harness.Client client : clients) {
        client.channel.close().sync();
        client.peer.closeFuture().sync();
      }
      color.submit(() -> {}).sync();
      color.submit(() -> {}).sync();
      color.submit(() -> {}).sync();
      assertEquals(0, group.pool().keys(), "a key without channels is forgotten");
    }
  }

  @Test
  void withoutAssignerTheSameHandlerRunsInParallel() throws Exception {
    CyclicBarrier both = new CyclicBarrier(2);
    class Meet extends ChannelInboundHandlerAdapter {
      @Override
      public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
        both.await(120, TimeUnit.SECONDS); // returns only if the other channel is here, too
        ctx.writeAndFlush(message);
      }
    }
    try (Harness harness = new Harness(Io.EPOLL.builder().cores(2).build(), Meet::new)) {
      Harness.Client one = harness.connect();
      Harness.Client two = harness.connect();
      one.send("a");
      two.send("b");
      assertEquals("a", one.await(1));
      assertEquals("b", two.await(1));
    }
  }

  @Test
  void anAssignerThatThrowsFailsTheRegistration() {
    MelyEventLoopGroup group =
        keep(
            MelyEventLoopGroup.builder()
                .cores(1)
                .colorAssigner(
                    channel -> {
                      throw new IllegalStateException("no color");
                    })
                .build());
    NioSocketChannel channel = new NioSocketChannel();
    assertThrows(IllegalStateException.class, () -> group.register(channel));
    assertFalse(channel.isOpen());
    NioSocketChannel another = new NioSocketChannel();
    ChannelPromise promise = new DefaultChannelPromise(another, GlobalEventExecutor.INSTANCE);
    assertThrows(IllegalStateException.class, () -> group.register(promise));
    assertEquals("no color", promise.cause().getMessage());
    assertFalse(another.isOpen());
  }

  @Test
  void transportsHaveNames() {
    MelyEventLoopGroup nio = keep(MelyEventLoopGroup.builder().cores(1).transport("NIO").build());
    assertSame(NioServerSocketChannel.class, nio.serverSocketChannelType());
    MelyEventLoopGroup auto = keep(MelyEventLoopGroup.builder().cores(1).transport("auto").build());
    assertSame(EpollServerSocketChannel.class, auto.serverSocketChannelType());
    assertThrows(
        IllegalArgumentException.class,
        () -> MelyEventLoopGroup.builder().transport("carrier pigeon"));
  }

  @Test
  void valuesOutOfRangeAreNamed() {
    MelyEventLoopGroupBuilder builder = MelyEventLoopGroup.builder();
    assertThrows(IllegalArgumentException.class, () -> builder.cores(-1));
    assertThrows(IllegalArgumentException.class, () -> builder.batch(0));
    Throwable thrown = assertThrows(IllegalArgumentException.class, () -> builder.sharedColors(-5));
    assertTrue(thrown.getMessage().contains("sharedColors"), thrown.getMessage());
    assertTrue(thrown.getMessage().contains("-5"), thrown.getMessage());
  }

  @Test
  void aChannelOfAnotherTransportIsRefused() throws Exception {
    MelyEventLoopGroup group = keep(MelyEventLoopGroup.builder().cores(1).build());
    Epoll.ensureAvailability();
    Channel epoll = new EpollSocketChannel();
    Throwable cause = group.register(epoll).await().cause();
    assertInstanceOf(IllegalStateException.class, cause);
    epoll.unsafe().closeForcibly();
    assertEquals(0, group.groupState().registrations());
  }
}
