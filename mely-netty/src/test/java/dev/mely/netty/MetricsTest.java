package dev.mely.netty;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.MelyBuilder;
import dev.mely.netty.metrics.MelyMetrics;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.netty4.NettyEventExecutorMetrics;
import io.micrometer.core.instrument.cumulative.CumulativeTimer;
import io.micrometer.core.instrument.distribution.DistributionStatisticConfig;
import io.micrometer.core.instrument.distribution.pause.PauseDetector;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.channel.EventLoop;
import io.netty.channel.SingleThreadEventLoop;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What gauges and meters read. */
@Timeout(300)
class MetricsTest {
  private final MelyEventLoopGroup group =
      MelyEventLoopGroup.builder().cores(1).sharedColors(4).build();
  private final MeterRegistry registry = new SimpleMeterRegistry();

  /** Opens what the test has blocked. */
  private CountDownLatch release = new CountDownLatch(0);

  @AfterEach
  void shutDown() throws InterruptedException {
    release.countDown();
    group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
  }

  private double counter(String name) {
    return registry.get(name).tag("core", "0").tag("group", "web").functionCounter().count();
  }

  private double gauge(String name) {
    return registry.get(name).tag("core", "0").tag("group", "web").gauge().value();
  }

  @Test
  void metersFollowTheGroup() throws Exception {
    try (MelyMetrics metrics = new MelyMetrics(group, Tags.of("group", "web"))) {
      metrics.bindTo(registry);
      for (int i = 0; i < 5; i++) {
        group.next().submit(() -> {}).sync();
      }
      await().until(() -> counter("mely.events") >= 5);
      await().until(() -> counter("mely.parks") > 0 && gauge("mely.busy") < 0.9);
      release = Harness.block(group.executor("block"));
      for (int i = 0; i < 4; i++) {
        group.next().execute(() -> {}); // four colors
      }
      await().until(() -> gauge("mely.colors.waiting") == 4);
      await().until(() -> gauge("mely.busy") == 1);
      await().until(() -> counter("mely.blocked") >= 1); // after half a second
      for (String name :
          new String[] {"mely.errors", "mely.steals", "mely.takeovers", "mely.stolen.time"}) {
        assertEquals(0, counter(name), name);
      }
      assertTrue(counter("mely.wakeups") >= 0);
      assertTrue(registry.get("mely.steal.cost").timeGauge().value(TimeUnit.NANOSECONDS) > 0);
      assertEquals(0, registry.get("mely.channels").gauge().value());
    }
  }

  /** As in the guide: nobody holds the binder. */
  @Test
  void metersGoOnWithoutTheirBinder() throws Exception {
    new MelyMetrics(group, Tags.of("group", "web")).bindTo(registry);
    group.next().submit(() -> {}).sync();
    WeakReference<Object> collected = new WeakReference<>(new Object());
    await()
        .until(
            () -> {
              System.gc();
              return collected.refersTo(null);
            });
    await().until(() -> counter("mely.events") > 0);
    assertFalse(Double.isNaN(gauge("mely.busy")));
    assertFalse(Double.isNaN(gauge("mely.colors.waiting")));
  }

  /** A registry lives as long as its program, which may make and end groups. */
  @Test
  void aRegistryDoesNotHoldAGroupThatHasEnded() throws Exception {
    WeakReference<MelyEventLoopGroup> ended = endedGroup();
    await()
        .until(
            () -> {
              System.gc();
              return ended.refersTo(null);
            });
    assertTrue(Double.isNaN(gauge("mely.busy")));
  }

  private WeakReference<MelyEventLoopGroup> endedGroup() throws InterruptedException {
    MelyEventLoopGroup other = MelyEventLoopGroup.builder().cores(1).build();
    Tags tags = Tags.of("group", "web");
    new MelyMetrics(other, tags, Duration.ofMillis(10)).bindTo(registry);
    other.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    return new WeakReference<>(other);
  }

  @Test
  void lagIsTheTimeThatATaskWaits() throws Exception {
    try (MelyMetrics metrics =
        new MelyMetrics(group, Tags.of("group", "web"), Duration.ofMillis(10))) {
      metrics.bindTo(registry);
      Timer lag = registry.get("mely.lag").tag("core", "0").timer();
      await().until(() -> lag.count() > 3);
      release = Harness.block(group.executor("block"));
      await().until(this::pendingProbe);
      long waits = lag.count();
      Thread.sleep(100);
      assertEquals(waits, lag.count(), "one probe at a time");
      release.countDown();
      await().until(() -> lag.max(TimeUnit.MILLISECONDS) >= 100);
    }
  }

  private boolean pendingProbe() {
    return ((SingleThreadEventLoop) group.iterator().next()).pendingTasks() > 0;
  }

  @Test
  void probesEndWithTheGroup() throws Exception {
    MelyMetrics metrics = new MelyMetrics(group, Tags.empty(), Duration.ofMillis(1));
    metrics.bindTo(registry);
    Timer lag = registry.get("mely.lag").timer();
    await().until(() -> lag.count() > 3);
    // Would never be quiet for so long if probes went on.
    group.shutdownGracefully(200, 20_000, TimeUnit.MILLISECONDS).sync();
    long after = lag.count();
    Thread.sleep(20);
    assertEquals(after, lag.count());
    metrics.close();
    assertThrows(
        IllegalArgumentException.class, () -> new MelyMetrics(group, Tags.empty(), Duration.ZERO));
  }

  /** Micrometer's own binder, which frameworks use: it reads {@code pendingTasks}. */
  @Test
  void gaugesOfOthersReadTheBacklogOfACore() throws Exception {
    new NettyEventExecutorMetrics(group).bindTo(registry);
    release = Harness.block(group.executor("block"));
    assertEquals(0, pendingOfOthers());
    EventLoop a = group.next();
    EventLoop b = group.next();
    for (int i = 0; i < 3; i++) {
      a.execute(() -> {});
    }
    b.execute(() -> {});
    // The core's: two colors wait. A color's own: its events.
    assertEquals(2, pendingOfOthers());
    assertEquals(3, ((SingleThreadEventLoop) a).pendingTasks());
    assertEquals(1, ((SingleThreadEventLoop) b).pendingTasks());
    release.countDown();
    await().until(() -> pendingOfOthers() == 0);
    await().until(() -> ((SingleThreadEventLoop) a).pendingTasks() == 0);
  }

  private double pendingOfOthers() {
    return registry.get("netty.eventexecutor.tasks.pending").gauge().value();
  }

  @Test
  void theDumpNamesChannelsAndColors() throws Exception {
    try (Harness harness =
        new Harness(MelyEventLoopGroup.builder().cores(1).build(), Harness.Echo::new)) {
      Harness.Client client = harness.connect();
      client.send("a");
      client.await(1);
      assertEquals(2, harness.group.registeredChannels());
      release = Harness.block(harness.group.executor("page-cache"));
      client.peer.eventLoop().execute(() -> {});
      String dump = harness.group.dump();
      assertTrue(dump.startsWith("MelyEventLoopGroup: 2 channels, 1 named colors, "), dump);
      assertTrue(dump.contains("tasks of ColorExecutor(page-cache, Color@"), dump);
      assertTrue(dump.contains("next tasks of ColorEventLoop(Color@"), dump);
      assertEquals(
          "I/O of " + client.peer,
          new ReadyHandler(HandlerCosts.UNKNOWN, null, client.peer).toString());
      release.countDown();
    }
  }

  /** A registry that fails, and a group that is full, cost a probe, and not those that follow. */
  @Test
  void probesGoOnWhateverHappensToOne() throws Exception {
    AtomicInteger recorded = new AtomicInteger();
    MeterRegistry failing =
        new SimpleMeterRegistry() {
          @Override
          protected Timer newTimer(
              Meter.Id id, DistributionStatisticConfig config, PauseDetector detector) {
            return new CumulativeTimer(id, clock, config, detector, TimeUnit.NANOSECONDS, false) {
              @Override
              protected void recordNonNegative(long amount, TimeUnit unit) {
                recorded.getAndIncrement();
                throw new StackOverflowError("planted");
              }
            };
          }
        };
    MelyEventLoopGroup full =
        MelyEventLoopGroup.builder()
            .cores(1)
            .runtime(mely -> mely.maxPending(1).overflow(MelyBuilder.Overflow.BLOCK))
            .build();
    try (MelyMetrics metrics = new MelyMetrics(full, Tags.empty(), Duration.ofMillis(1))) {
      metrics.bindTo(failing);
      await().until(() -> recorded.get() > 3);
      CountDownLatch inside = Harness.block(full.next());
      full.next().execute(() -> {}); // takes the only room there is
      // The thread that sends the probes is not held up.
      GlobalEventExecutor.INSTANCE.schedule(() -> {}, 5, TimeUnit.MILLISECONDS).sync();
      int before = recorded.get();
      inside.countDown();
      await().until(() -> recorded.get() > before + 3);
    }
    full.shutdownGracefully(0, 60, TimeUnit.SECONDS).sync();
  }
}
