package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.SingleThreadEventLoop;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The contract of event loops, see {@code docs/netty.md}: tasks. */
@Timeout(300)
class LoopTasksTest {
  /** What a loop notes while it runs something, until all of it has run. */
  private static String trace(
      LoopGroups groups, boolean inside, BiConsumer<SingleThreadEventLoop, List<String>> work)
      throws Exception {
    EventLoopGroup group = groups.start();
    try {
      SingleThreadEventLoop loop = LoopGroups.loop(group);
      List<String> trace = Collections.synchronizedList(new ArrayList<>());
      if (inside) {
        loop.submit(() -> work.accept(loop, trace)).get();
      } else {
        CountDownLatch ready = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        loop.execute(
            () -> {
              ready.countDown();
              await(go);
            });
        ready.await();
        work.accept(loop, trace);
        go.countDown();
      }
      Harness.await().until(() -> trace.contains("end"));
      return String.join(" ", trace);
    } finally {
      group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    }
  }

  static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @ParameterizedTest
  @EnumSource
  void tasksRunInTheOrderOfTheirSubmission(LoopGroups groups) throws Exception {
    for (boolean inside : new boolean[] {true, false}) {
      assertEquals(
          "1 2 3 1a end",
          trace(
              groups,
              inside,
              (loop, trace) -> {
                loop.execute(
                    () -> {
                      trace.add("1");
                      loop.execute(() -> trace.add("1a"));
                      loop.execute(() -> trace.add("end"));
                    });
                loop.lazyExecute(() -> trace.add("2"));
                loop.execute(() -> trace.add("3"));
              }));
    }
  }

  /** Netty's loop may sleep over a lazy task until another one wakes it up. */
  @ParameterizedTest
  @EnumSource(names = {"MELY", "MOVING"})
  void aLazyTaskRunsByItself(LoopGroups groups) throws Exception {
    EventLoopGroup group = groups.start();
    CompletableFuture<Boolean> ran = new CompletableFuture<>();
    LoopGroups.loop(group).lazyExecute(() -> ran.complete(true));
    ran.get(Harness.PATIENCE_SECONDS, TimeUnit.SECONDS);
    group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
  }

  /** What a task for the end submits runs when all tasks for the end have. */
  @ParameterizedTest
  @EnumSource
  void tasksForTheEndRunTogetherAndInOrder(LoopGroups groups) throws Exception {
    assertEquals(
        "task tail1 tail2 tail3 end",
        trace(
            groups,
            true,
            (loop, trace) -> {
              loop.executeAfterEventLoopIteration(
                  () -> {
                    trace.add("tail1");
                    loop.execute(() -> trace.add("end"));
                    loop.executeAfterEventLoopIteration(() -> trace.add("tail3"));
                  });
              loop.execute(() -> trace.add("task"));
              loop.executeAfterEventLoopIteration(() -> trace.add("tail2"));
            }));
  }

  @ParameterizedTest
  @EnumSource
  void pendingTasksAreCounted(LoopGroups groups) throws Exception {
    EventLoopGroup group = groups.start();
    SingleThreadEventLoop loop = LoopGroups.loop(group);
    CountDownLatch go = new CountDownLatch(1);
    loop.execute(() -> await(go));
    Future<?> far = loop.schedule(() -> {}, 1, TimeUnit.HOURS);
    loop.execute(() -> {});
    loop.execute(() -> {});
    // The scheduled task is on its way into the loop, and no pending task once it is there.
    Harness.await().until(() -> loop.pendingTasks() == 3);
    go.countDown();
    Harness.await().until(() -> loop.pendingTasks() == 0);
    far.cancel(false);
    group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
  }

  /** Netty's loop refuses tasks over a bound that a system property or its maker sets. */
  @Test
  void tasksHaveNoBound() throws Exception {
    EventLoopGroup group = LoopGroups.MELY.start();
    SingleThreadEventLoop loop = LoopGroups.loop(group);
    CountDownLatch go = new CountDownLatch(1);
    loop.execute(() -> await(go));
    Future<?> last = null;
    for (int i = 0; i < 100_000; i++) {
      last = loop.submit(() -> {});
    }
    go.countDown();
    last.get();
    group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
  }

  @ParameterizedTest
  @EnumSource
  void whatATaskThrowsCostsNobodyElseAnything(LoopGroups groups) throws Exception {
    EventLoopGroup group = groups.start();
    SingleThreadEventLoop loop = LoopGroups.loop(group);
    for (Throwable thrown :
        List.of(new IllegalStateException("planted"), new StackOverflowError("planted"))) {
      Future<?> failed =
          loop.submit(
              (Callable<Void>)
                  () -> {
                    if (thrown instanceof Error error) {
                      throw error;
                    }
                    throw (Exception) thrown;
                  });
      ExecutionException seen = assertThrows(ExecutionException.class, failed::get);
      assertEquals(thrown, seen.getCause());
      assertEquals(1, loop.submit(() -> 1).get());
    }
    assertThrows(NullPointerException.class, () -> loop.execute(null));
    group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
  }

  @ParameterizedTest
  @EnumSource
  void waitingForOnesOwnTasksIsRefused(LoopGroups groups) throws Exception {
    EventLoopGroup group = groups.start();
    SingleThreadEventLoop loop = LoopGroups.loop(group);
    List<Callable<Integer>> tasks = List.of(() -> 1);
    List<Callable<?>> waits =
        List.of(
            () -> loop.invokeAll(tasks),
            () -> loop.invokeAll(tasks, 1, TimeUnit.SECONDS),
            () -> loop.invokeAny(tasks),
            () -> loop.invokeAny(tasks, 1, TimeUnit.SECONDS));
    for (Callable<?> wait : waits) {
      Future<?> inside = loop.submit(wait);
      Throwable refused = assertThrows(ExecutionException.class, inside::get).getCause();
      assertInstanceOf(RejectedExecutionException.class, refused);
    }
    assertEquals(1, loop.invokeAll(tasks).get(0).get());
    assertEquals(1, loop.invokeAny(tasks));
    group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
  }
}
