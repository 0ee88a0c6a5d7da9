package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.Color;
import dev.mely.ErrorHandler;
import dev.mely.Handler;
import dev.mely.MelyBuilder;
import dev.mely.StealPolicy;
import dev.mely.spi.Poller;
import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the builder of the runtime offers, on the builder of a group. */
@Timeout(300)
class GroupRuntimeTest {
  private static final int ROOM = 4;

  private static void end(MelyEventLoopGroup group) throws Exception {
    group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
  }

  /** Which handler blocks, and what an event of one's own throws. */
  private static final class Reporter implements ErrorHandler {
    final CountDownLatch blocked = new CountDownLatch(1);
    final CountDownLatch failed = new CountDownLatch(1);

    @Override
    public void onError(Color color, Object event, Throwable error) {
      failed.countDown();
    }

    @Override
    public void onBlocked(
        int core, Color color, Handler<?> handler, Duration time, StackTraceElement[] stack) {
      blocked.countDown();
    }
  }

  @Test
  void theErrorHandlerHearsOfHandlersThatBlockOrThrow() throws Exception {
    Reporter reporter = new Reporter();
    MelyEventLoopGroup group =
        MelyEventLoopGroup.builder()
            .cores(1)
            .runtime(mely -> mely.errorHandler(reporter))
            .runtime(mely -> mely.reportBlockedAfter(Duration.ofMillis(1)))
            .build();
    assertTrue(group.next().submit(() -> reporter.blocked.await(120, TimeUnit.SECONDS)).get());
    group
        .mely()
        .execute(
            group.mely().newColor(),
            () -> {
              throw new IllegalStateException("planted");
            });
    assertTrue(reporter.failed.await(120, TimeUnit.SECONDS));
    end(group);
  }

  @Test
  void valuesAreCheckedWhenTheyAreGiven() {
    MelyEventLoopGroupBuilder builder = MelyEventLoopGroup.builder();
    assertNames("stuckAfter", () -> builder.stuckAfter(Duration.ZERO));
    assertNames("batch", () -> builder.batch(0));
    assertNames("cores", () -> builder.cores(4097));
    assertNames("maxTaskProcessingQuantum", () -> builder.maxTaskProcessingQuantum(Duration.ZERO));
    assertThrows(NullPointerException.class, () -> builder.policy(null));
    assertThrows(NullPointerException.class, () -> builder.order(null));
    assertThrows(NullPointerException.class, () -> builder.runtime(null));
  }

  @Test
  void valuesOfTheRuntimeAreCheckedWhenTheGroupIsBuilt() {
    assertRefused("maxPending", mely -> mely.maxPending(-1));
    assertRefused("pollInterval", mely -> mely.pollInterval(Duration.ZERO));
    assertRefused("reportBlockedAfter", mely -> mely.reportBlockedAfter(Duration.ofNanos(-1)));
  }

  private static void assertRefused(String setting, Consumer<MelyBuilder> settings) {
    assertNames(setting, MelyEventLoopGroup.builder().runtime(settings)::build);
  }

  private static void assertNames(String setting, Runnable set) {
    Throwable thrown = assertThrows(IllegalArgumentException.class, set::run);
    assertTrue(thrown.getMessage().contains(setting), thrown.getMessage());
  }

  @Test
  void settingsAreMadeForEachGroupInTheirOrder() throws Exception {
    List<MelyBuilder> seen = new ArrayList<>();
    MelyEventLoopGroupBuilder builder = MelyEventLoopGroup.builder().cores(1).runtime(seen::add);
    assertEquals(0, seen.size());
    MelyEventLoopGroup one = builder.build();
    assertEquals(1, seen.size(), "once");
    MelyEventLoopGroup two = builder.build();
    assertEquals(2, seen.size(), "once more");
    assertEquals(2, seen.stream().distinct().count(), "one for each group");
    end(one);
    end(two);
  }

  /** Without stealing, no worker helps a core that is stuck. */
  @Test
  void ofTheSameSettingTheLastOneCounts() throws Exception {
    MelyEventLoopGroup group =
        MelyEventLoopGroup.builder()
            .cores(2)
            .policy(StealPolicy.OFF)
            .runtime(mely -> mely.policy(StealPolicy.ALL))
            .build();
    ColorEventLoop stuck = group.cores().newLoop(0);
    CountDownLatch release = Harness.block(stuck);
    ColorEventLoop other = group.cores().newLoop(stuck.color().core());
    other.submit(() -> {}).get(120, TimeUnit.SECONDS);
    release.countDown();
    end(group);
  }

  @ParameterizedTest
  @EnumSource
  void whatTheGroupReliesOnIsItsOwn(Io io) throws Exception {
    AtomicInteger foreign = new AtomicInteger();
    MelyEventLoopGroup group =
        io.builder()
            .cores(2)
            .threadFactory(task -> new Thread(task, "of the group"))
            .runtime(
                mely ->
                    mely.cores(7)
                        .threadFactory(
                            task -> {
                              foreign.getAndIncrement();
                              return new Thread(task);
                            })
                        .pollers(
                            core -> {
                              foreign.getAndIncrement();
                              return new Idle();
                            }))
            .build();
    try (Harness harness = new Harness(group, Harness.Echo::new)) {
      Harness.Client client = harness.connect();
      client.send("x");
      assertEquals("x", client.await(1));
      assertEquals(
          "of the group", group.next().submit(() -> Thread.currentThread().getName()).get());
      assertEquals(2, group.statistics().cores().size());
      assertEquals(0, foreign.get());
    }
  }

  private static final class Idle implements Poller {
    @Override
    public void poll(long maxWaitNanos) {}

    @Override
    public void wakeup() {}
  }

  // ---- Bounds

  /** Fills a color that is busy. */
  private static void fill(EventLoop loop) {
    assertThrows(
        RejectedExecutionException.class,
        () -> {
          for (int i = 0; i <= ROOM; i++) {
            loop.execute(() -> {});
          }
        });
  }

  @ParameterizedTest
  @EnumSource
  void readinessNeedsNoRoom(Io io) throws Exception {
    MelyEventLoopGroup group =
        io.builder().cores(2).runtime(mely -> mely.maxPendingPerColor(ROOM)).build();
    try (Harness harness = new Harness(group, Harness.Echo::new)) {
      Harness.Client client = harness.connect();
      client.send("a");
      assertEquals("a", client.await(1));
      CountDownLatch release = Harness.block(client.peer.eventLoop());
      fill(client.peer.eventLoop());
      long refused = group.statistics().refused();
      int pending = Harness.loop(client.peer).pendingTasks();
      client.send("b");
      Harness.await().until(() -> Harness.loop(client.peer).pendingTasks() > pending);
      assertFalse(client.hasRead());
      release.countDown();
      assertEquals("b", client.await(1));
      assertEquals(refused, group.statistics().refused());
    }
  }

  @Test
  void scheduledTasksThatFindNoRoomAreNotLost() throws Exception {
    MelyEventLoopGroup group =
        MelyEventLoopGroup.builder()
            .cores(1)
            .runtime(mely -> mely.maxPendingPerColor(ROOM))
            .build();
    EventLoop loop = group.next();
    CountDownLatch ran = new CountDownLatch(3 * ROOM);
    loop.submit(
            () -> {
              for (int i = 0; i < 3 * ROOM; i++) {
                loop.schedule(ran::countDown, 1, TimeUnit.MICROSECONDS);
              }
            })
        .get();
    assertTrue(ran.await(120, TimeUnit.SECONDS), () -> ran.getCount() + " are missing");
    end(group);
  }

  /**
   * The I/O handler asks a channel to close only once; a color that is full hears it all the same.
   */
  @ParameterizedTest
  @EnumSource
  void aGroupWhoseColorsAreFullShutsDown(Io io) throws Exception {
    MelyEventLoopGroup group =
        io.builder().cores(2).runtime(mely -> mely.maxPendingPerColor(ROOM)).build();
    try (Harness harness = new Harness(group, Harness.Echo::new)) {
      Harness.Client client = harness.connect();
      CountDownLatch release = Harness.block(client.peer.eventLoop());
      fill(client.peer.eventLoop());
      var termination = group.shutdownGracefully(0, 60, TimeUnit.SECONDS);
      harness.server.closeFuture().sync(); // all channels have been told by now, or are about to be
      release.countDown();
      assertTrue(termination.await(120, TimeUnit.SECONDS));
    }
  }
}
