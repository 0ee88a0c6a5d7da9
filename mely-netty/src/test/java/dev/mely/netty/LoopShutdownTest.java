package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.SingleThreadEventLoop;
import io.netty.util.concurrent.Future;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The contract of event loops, see {@code docs/netty.md}: the end. */
@Timeout(300)
class LoopShutdownTest {
  /** A loop that ends although a task runs does so within this time. */
  private static final long LONG_ENOUGH_MILLIS = 100;

  @ParameterizedTest
  @EnumSource
  void aTaskSeesThatTheLoopShutsDownAndMaySubmitOthers(LoopGroups groups) throws Exception {
    EventLoopGroup group = groups.start();
    SingleThreadEventLoop loop = LoopGroups.loop(group);
    List<String> trace = Collections.synchronizedList(new ArrayList<>());
    loop.submit(
            () -> {
              assertFalse(loop.isShuttingDown());
              group.shutdownGracefully(0, 10, TimeUnit.SECONDS);
              Thread.sleep(LONG_ENOUGH_MILLIS);
              trace.add("shuttingDown=" + loop.isShuttingDown() + " shutdown=" + loop.isShutdown());
              loop.execute(
                  () -> {
                    trace.add("task inside=" + loop.inEventLoop());
                    loop.execute(() -> trace.add("its task"));
                  });
              loop.schedule(() -> trace.add("never"), 1, TimeUnit.HOURS);
              return null;
            })
        .get();
    assertTrue(group.terminationFuture().await(120, TimeUnit.SECONDS));
    assertEquals(
        List.of("shuttingDown=true shutdown=false", "task inside=true", "its task"),
        List.copyOf(trace));
  }

  /** A task of a loop that is busy until the end: what it has accepted is done, or cancelled. */
  @ParameterizedTest
  @EnumSource
  void whatIsScheduledDuringTheShutdownIsCancelled(LoopGroups groups) throws Exception {
    EventLoopGroup group = groups.start();
    SingleThreadEventLoop loop = LoopGroups.loop(group);
    CountDownLatch go = new CountDownLatch(1);
    loop.execute(() -> LoopTasksTest.await(go));
    group.shutdownGracefully(0, 10, TimeUnit.SECONDS);
    Thread.sleep(LONG_ENOUGH_MILLIS);
    Future<?> once = loop.schedule(() -> {}, 1, TimeUnit.HOURS);
    Future<?> often = loop.scheduleAtFixedRate(() -> {}, 1, 1, TimeUnit.HOURS);
    Future<?> task = loop.submit(() -> {});
    go.countDown();
    assertTrue(group.terminationFuture().await(120, TimeUnit.SECONDS));
    assertTrue(task.isSuccess());
    assertTrue(once.isCancelled());
    assertTrue(often.isCancelled());
  }

  @ParameterizedTest
  @EnumSource
  void nothingIsAcceptedAfterTheEnd(LoopGroups groups) throws Exception {
    EventLoopGroup group = groups.start();
    SingleThreadEventLoop loop = LoopGroups.loop(group);
    loop.submit(() -> {}).get();
    group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    assertTrue(loop.isTerminated());
    assertFalse(loop.inEventLoop());
    assertThrows(RejectedExecutionException.class, () -> loop.execute(() -> {}));
    assertThrows(RejectedExecutionException.class, () -> loop.lazyExecute(() -> {}));
    assertThrows(RejectedExecutionException.class, () -> loop.submit(() -> 1));
    assertThrows(
        RejectedExecutionException.class, () -> loop.schedule(() -> {}, 1, TimeUnit.SECONDS));
    assertThrows(
        RejectedExecutionException.class, () -> loop.executeAfterEventLoopIteration(() -> {}));
  }

  /**
   * In the order in which they were added, inside the loop, with those that they add themselves.
   */
  @ParameterizedTest
  @EnumSource
  void hooksRunInOrderAndMayAddHooks(LoopGroups groups) throws Exception {
    EventLoopGroup group = groups.start();
    SingleThreadEventLoop loop = LoopGroups.loop(group);
    List<String> trace = Collections.synchronizedList(new ArrayList<>());
    loop.addShutdownHook(
        () -> {
          trace.add("1 inside=" + loop.inEventLoop());
          loop.addShutdownHook(
              () -> {
                trace.add("4");
                loop.addShutdownHook(
                    () -> {
                      trace.add("5");
                      loop.addShutdownHook(() -> trace.add("6"));
                    });
              });
        });
    loop.addShutdownHook(
        () -> {
          trace.add("2");
          throw new LoopRun.Planted();
        });
    loop.addShutdownHook(() -> trace.add("3"));
    loop.submit(() -> {}).get();
    group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    assertEquals(List.of("1 inside=true", "2", "3", "4", "5", "6"), List.copyOf(trace));
  }

  /** They are told on a thread that is in no event loop, when all is over. */
  @ParameterizedTest
  @EnumSource
  void listenersOfTheTerminationRunElsewhere(LoopGroups groups) throws Exception {
    EventLoopGroup group = groups.start();
    SingleThreadEventLoop loop = LoopGroups.loop(group);
    CompletableFuture<Thread> worker = new CompletableFuture<>();
    loop.execute(() -> worker.complete(Thread.currentThread()));
    CompletableFuture<String> told = new CompletableFuture<>();
    group
        .terminationFuture()
        .addListener(
            future ->
                told.complete(
                    "terminated="
                        + loop.isTerminated()
                        + " inside="
                        + loop.inEventLoop()
                        + " worker="
                        + (Thread.currentThread() == worker.join())));
    group.shutdownGracefully(0, 10, TimeUnit.SECONDS);
    assertEquals(
        "terminated=true inside=false worker=false",
        told.get(Harness.PATIENCE_SECONDS, TimeUnit.SECONDS));
  }

  @ParameterizedTest
  @EnumSource
  void theLoopDoesNotWaitForItsOwnEnd(LoopGroups groups) throws Exception {
    EventLoopGroup group = groups.start();
    SingleThreadEventLoop loop = LoopGroups.loop(group);
    java.util.concurrent.Future<?> inside =
        loop.submit(() -> loop.awaitTermination(1, TimeUnit.SECONDS));
    assertInstanceOf(
        IllegalStateException.class,
        assertThrows(ExecutionException.class, inside::get).getCause());
    assertThrows(
        IllegalArgumentException.class, () -> loop.shutdownGracefully(2, 1, TimeUnit.SECONDS));
    group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
  }
}
