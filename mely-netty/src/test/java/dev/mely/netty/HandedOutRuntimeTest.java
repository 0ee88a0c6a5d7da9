package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.Color;
import dev.mely.Mely;
import dev.mely.MelyBuilder;
import dev.mely.Permissions;
import dev.mely.Poller;
import dev.mely.jmx.MelyManagement;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.EventExecutorGroup;
import io.netty.util.concurrent.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What users get out of a group does not break the group. */
@Timeout(300)
class HandedOutRuntimeTest {
  static List<Wire> wires() {
    return Wire.available();
  }

  private static void assertRefused(Mely mely) {
    for (Runnable end :
        List.<Runnable>of(
            mely::close,
            () -> mely.shutdown(Duration.ZERO),
            () -> mely.shutdown(Duration.ofSeconds(10)))) {
      Exception e = assertThrows(IllegalStateException.class, end::run);
      assertTrue(e.getMessage().contains("group.shutdownGracefully()"), e.getMessage());
    }
    assertFalse(mely.isShutdown());
  }

  private static void assertEnds(MelyEventLoopGroup group) throws InterruptedException {
    assertTrue(
        group.shutdownGracefully(0, 10, TimeUnit.MINUTES).await(120, TimeUnit.SECONDS), "ends");
    assertTrue(group.isShutdown() && group.isTerminated());
  }

  @ParameterizedTest
  @MethodSource("wires")
  void theRuntimeOfAGroupIsNotClosedByOthers(Wire wire) throws Exception {
    MelyEventLoopGroup group = wire.builder().cores(2).build();
    EventLoopGroup clients = wire.stock();
    BlockingQueue<Object> answers = new LinkedTransferQueue<>();
    Channel server =
        wire.bind(
            group,
            new ChannelInboundHandlerAdapter() {
              @Override
              public boolean isSharable() {
                return true;
              }

              @Override
              public void channelActive(ChannelHandlerContext ctx) {
                assertRefused(group.mely());
                answers.add("refused");
              }

              @Override
              public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
                answers.add(cause);
              }
            });
    Mely[] held = new Mely[1];
    Exception thrown =
        assertThrows(
            IllegalStateException.class,
            () -> {
              try (Mely mely = group.mely()) {
                held[0] = mely;
                mely.executor(mely.newColor()).execute(() -> {});
              }
            });
    assertTrue(thrown.getMessage().contains("group.shutdownGracefully()"), thrown.getMessage());
    assertRefused(group.mely());
    CompletableFuture.runAsync(
            () -> assertRefused(group.mely()), held[0].executor(held[0].newPinnedColor(1)))
        .get(120, TimeUnit.SECONDS);
    group.next().submit(() -> assertRefused(group.mely())).get(120, TimeUnit.SECONDS);
    wire.connect(clients, server.localAddress(), new ChannelInboundHandlerAdapter());
    assertEquals("refused", answers.poll(120, TimeUnit.SECONDS));
    assertFalse(group.isShuttingDown());
    clients.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
    assertEnds(group);
    held[0].close();
    assertTrue(held[0].isTerminated());
    assertTrue(held[0].shutdown(Duration.ZERO).drained());
  }

  /** Also the end of a block in which the group was shut down, while that goes on or later. */
  @Test
  void closingWithTheGroupOrAfterItWaitsForTheEnd() throws Exception {
    MelyEventLoopGroup group = Wire.NIO.builder().cores(1).build();
    try (Mely mely = group.mely()) {
      mely.execute(mely.newColor(), () -> {});
      assertEnds(group);
    }
    group.mely().close();
  }

  /** The builder of the runtime is handed out, too. */
  @Test
  void theBuilderOfTheRuntimeBuildsAnotherOne() throws Exception {
    List<MelyBuilder> builders = new ArrayList<>();
    MelyEventLoopGroup group =
        MelyEventLoopGroup.builder()
            .cores(1)
            .runtime(mely -> mely.shutdownGuard(() -> {}))
            .runtime(builders::add)
            .build();
    assertRefused(group.mely());
    builders.get(0).pollers(core -> new Idle()).build().close();
    assertEquals("ran", group.next().submit(() -> "ran").get(120, TimeUnit.SECONDS));
    assertEnds(group);
  }

  private static final class Idle implements Poller {
    @Override
    public int poll(long maxWaitNanos) {
      Thread.yield();
      return 0;
    }

    @Override
    public void wakeup() {}
  }

  @Test
  void aBeanThatIsClosedTakesNothingWithIt() throws Exception {
    MelyEventLoopGroup group = MelyEventLoopGroup.builder().cores(1).build();
    MelyManagement bean = MelyManagement.register(group.mely(), "handed out");
    bean.close();
    bean.close();
    assertEquals("ran", group.next().submit(() -> "ran").get(120, TimeUnit.SECONDS));
    assertEnds(group);
    MelyManagement.register(group.mely(), "handed out").close(); // of a runtime that has ended
  }

  /** Any handed-out executor shuts down the group, once, for any number of calls. */
  @Test
  void allThatCanBeShutDownIsTheGroup() throws Exception {
    List<Function<MelyEventLoopGroup, EventExecutorGroup>> parts =
        List.of(
            group -> group.iterator().next(),
            MelyEventLoopGroup::next,
            group -> group.executor("named"),
            group -> group.executor(group.mely().newPinnedColor(0)),
            group -> group.executor(Permissions.read(group.color("named"))),
            group -> group.executor(Permissions.read(group.color("named"))).next());
    for (Function<MelyEventLoopGroup, EventExecutorGroup> part : parts) {
      MelyEventLoopGroup group = MelyEventLoopGroup.builder().cores(2).build();
      EventExecutorGroup one = part.apply(group);
      Future<?> end = one.shutdownGracefully(0, 10, TimeUnit.MINUTES);
      one.shutdownGracefully(0, 10, TimeUnit.MINUTES);
      assertTrue(end.await(120, TimeUnit.SECONDS), () -> one + " has not ended");
      assertTrue(one.isTerminated());
      assertEnds(group);
      assertTrue(group.mely().isTerminated());
    }
  }

  /** From Java 19 on an executor can be closed: that is its shutdown, and waits for it. */
  @Test
  void aGroupInATryBlockEnds() throws Exception {
    for (boolean group : new boolean[] {true, false}) {
      MelyEventLoopGroup all = MelyEventLoopGroup.builder().cores(1).build();
      Object closed = group ? all : all.executor("named");
      if (closed instanceof AutoCloseable closeable) {
        closeable.close();
        assertTrue(all.isTerminated());
      }
      assertEnds(all);
    }
  }

  @Test
  void aColorOfAnotherRuntimeIsRefused() throws Exception {
    MelyEventLoopGroup group = MelyEventLoopGroup.builder().cores(1).build();
    try (Mely other = Mely.builder().cores(1).build()) {
      Color foreign = other.newColor();
      assertThrows(IllegalArgumentException.class, () -> group.executor(foreign).execute(() -> {}));
    }
    assertEnds(group);
  }
}
