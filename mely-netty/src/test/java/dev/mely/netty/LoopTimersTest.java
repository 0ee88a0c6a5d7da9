package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.SingleThreadEventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The contract of event loops, see {@code docs/netty.md}: scheduled tasks. */
@Timeout(300)
class LoopTimersTest {
  /** Inside, it comes behind the tasks; from outside it is a task like any other. */
  @ParameterizedTest
  @EnumSource
  void aDelayOfZeroIsATaskOfTheNextIteration(LoopGroups groups) throws Exception {
    EventLoopGroup group = groups.start();
    SingleThreadEventLoop loop = LoopGroups.loop(group);
    List<String> trace = Collections.synchronizedList(new ArrayList<>());
    loop.submit(
            () -> {
              loop.schedule(() -> trace.add("scheduled"), 0, TimeUnit.SECONDS);
              loop.schedule(() -> trace.add("negative"), -1, TimeUnit.SECONDS);
              loop.execute(
                  () -> {
                    trace.add("task");
                    loop.execute(() -> trace.add("its task"));
                  });
            })
        .get();
    Harness.await().until(() -> trace.size() == 4);
    assertEquals(List.of("task", "its task", "scheduled", "negative"), List.copyOf(trace));
    trace.clear();
    CountDownLatch go = new CountDownLatch(1);
    loop.execute(() -> LoopTasksTest.await(go));
    loop.execute(() -> trace.add("task"));
    loop.schedule(() -> trace.add("scheduled"), 0, TimeUnit.SECONDS);
    loop.execute(() -> trace.add("last"));
    go.countDown();
    Harness.await().until(() -> trace.size() == 3);
    assertEquals(List.of("task", "scheduled", "last"), List.copyOf(trace));
    group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
  }

  /** As many years as a long has: they neither run, nor hold up what is due. */
  @ParameterizedTest
  @EnumSource
  void theLongestDelaysDoNotOverflow(LoopGroups groups) throws Exception {
    EventLoopGroup group = groups.start();
    SingleThreadEventLoop loop = LoopGroups.loop(group);
    AtomicInteger ran = new AtomicInteger();
    List<ScheduledFuture<?>> futures = new ArrayList<>();
    Runnable all =
        () -> {
          for (TimeUnit unit : new TimeUnit[] {TimeUnit.NANOSECONDS, TimeUnit.DAYS}) {
            futures.add(loop.schedule(ran::incrementAndGet, Long.MAX_VALUE, unit));
            futures.add(loop.scheduleAtFixedRate(ran::incrementAndGet, Long.MAX_VALUE, 1, unit));
            futures.add(
                loop.scheduleWithFixedDelay(
                    ran::incrementAndGet, Long.MAX_VALUE, Long.MAX_VALUE, unit));
          }
        };
    all.run();
    loop.submit(all).get();
    for (int i = 0; i < 20; i++) {
      loop.schedule(() -> {}, i, TimeUnit.MILLISECONDS).get();
    }
    for (ScheduledFuture<?> future : futures) {
      assertTrue(future.getDelay(TimeUnit.DAYS) > 10_000, future::toString);
      assertTrue(future.cancel(false));
    }
    loop.submit(() -> {}).get();
    assertEquals(0, ran.get());
    group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
  }

  /**
   * A run that takes long: a fixed rate makes up for it without a pause, a fixed delay does not.
   */
  @ParameterizedTest
  @EnumSource
  void aFixedRateCatchesUpAndAFixedDelayPauses(LoopGroups groups) throws Exception {
    long periodNanos = TimeUnit.MILLISECONDS.toNanos(10);
    EventLoopGroup group = groups.start();
    SingleThreadEventLoop loop = LoopGroups.loop(group);
    class Ticks implements Runnable {
      final CompletableFuture<Long> shortest = new CompletableFuture<>();
      private long last;
      private long least = Long.MAX_VALUE;
      private int runs;

      @Override
      public void run() {
        long now = System.nanoTime();
        if (runs > 0) {
          least = Math.min(least, now - last);
        }
        if (++runs == 1) {
          LockSupport.parkNanos(5 * periodNanos);
        } else if (runs == 10) {
          shortest.complete(least);
        }
        last = System.nanoTime();
      }
    }
    Ticks pausing = new Ticks();
    loop.scheduleWithFixedDelay(pausing, 0, periodNanos, TimeUnit.NANOSECONDS);
    assertTrue(
        pausing.shortest.get(120, TimeUnit.SECONDS) >= periodNanos, "a pause after each run");
    Ticks ticking = new Ticks();
    loop.scheduleAtFixedRate(ticking, 0, periodNanos, TimeUnit.NANOSECONDS);
    assertTrue(
        ticking.shortest.get(120, TimeUnit.SECONDS) < periodNanos, "no pause after the first");
    group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
  }

  @ParameterizedTest
  @EnumSource
  void aPeriodicTaskEndsWhenItFailsOrIsCancelledByItself(LoopGroups groups) throws Exception {
    EventLoopGroup group = groups.start();
    SingleThreadEventLoop loop = LoopGroups.loop(group);
    AtomicInteger runs = new AtomicInteger();
    ScheduledFuture<?> failing =
        loop.scheduleAtFixedRate(
            () -> {
              if (runs.incrementAndGet() == 3) {
                throw new LoopRun.Planted();
              }
            },
            0,
            1,
            TimeUnit.MILLISECONDS);
    assertThrows(ExecutionException.class, failing::get);
    assertEquals(3, runs.get());
    AtomicInteger ticks = new AtomicInteger();
    CompletableFuture<ScheduledFuture<?>> self = new CompletableFuture<>();
    ScheduledFuture<?> cancelled =
        loop.scheduleWithFixedDelay(
            () -> {
              if (ticks.incrementAndGet() == 3) {
                self.join().cancel(false);
              }
            },
            0,
            1,
            TimeUnit.MILLISECONDS);
    self.complete(cancelled);
    Harness.await().until(cancelled::isCancelled);
    loop.schedule(() -> {}, 10, TimeUnit.MILLISECONDS).get();
    assertEquals(3, ticks.get());
    group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
  }

  @ParameterizedTest
  @EnumSource
  void aCancelledTaskDoesNotRunHoweverLateItIsCancelled(LoopGroups groups) throws Exception {
    EventLoopGroup group = groups.start();
    SingleThreadEventLoop loop = LoopGroups.loop(group);
    AtomicInteger wrong = new AtomicInteger();
    for (int i = 0; i < 500; i++) {
      AtomicInteger ran = new AtomicInteger();
      ScheduledFuture<?> future =
          loop.schedule(ran::incrementAndGet, i % 50, TimeUnit.MICROSECONDS);
      boolean cancelled = future.cancel(true); // true interrupts no thread
      assertEquals(cancelled, future.isCancelled());
      assertFalse(future.cancel(false));
      future.await();
      wrong.addAndGet(cancelled == (ran.get() == 1) ? 1 : 0);
    }
    assertEquals(0, wrong.get());
    group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
  }

  @ParameterizedTest
  @EnumSource
  void argumentsAreChecked(LoopGroups groups) throws Exception {
    EventLoopGroup group = groups.start();
    SingleThreadEventLoop loop = LoopGroups.loop(group);
    Runnable nothing = () -> {};
    assertThrows(
        IllegalArgumentException.class,
        () -> loop.scheduleAtFixedRate(nothing, 0, 0, TimeUnit.SECONDS));
    assertThrows(
        IllegalArgumentException.class,
        () -> loop.scheduleWithFixedDelay(nothing, -1, 1, TimeUnit.SECONDS));
    assertThrows(NullPointerException.class, () -> loop.schedule(nothing, 1, null));
    group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
  }
}
