package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.Migrating;
import io.netty.channel.EventLoop;
import io.netty.channel.SingleThreadEventLoop;
import io.netty.util.concurrent.BlockingOperationException;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** N2, N6: one color as an event loop. Its activations migrate at random. */
@Timeout(300)
class ColorEventLoopTest {
  private final MelyEventLoopGroup group =
      MelyEventLoopGroup.builder().cores(3).runtime(Migrating.by(7)).build();
  private final ColorEventLoop loop = (ColorEventLoop) group.next();
  private final ColorEventLoop other = (ColorEventLoop) group.next();

  @AfterEach
  void shutDown() throws InterruptedException {
    group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
  }

  @Test
  void inEventLoopIsTrueInsideTheColorAndNowhereElse() throws Exception {
    assertFalse(loop.inEventLoop());
    Queue<String> faults = new ConcurrentLinkedQueue<>();
    for (int i = 0; i < 5_000; i++) {
      EventLoop mine = i % 2 == 0 ? loop : other;
      EventLoop yours = i % 2 == 0 ? other : loop;
      mine.execute(
          () -> {
            if (!mine.inEventLoop() || !mine.inEventLoop(Thread.currentThread())) {
              faults.add("not in its own loop");
            }
            if (yours.inEventLoop()) {
              faults.add("in another's loop");
            }
          });
    }
    loop.submit(() -> {}).get();
    other.submit(() -> {}).get();
    assertEquals(List.of(), List.copyOf(faults));
    assertFalse(loop.inEventLoop());
  }

  @Test
  void tasksOfManyThreadsRunOneAtATimeAndInOrderOfEach() throws Exception {
    int producers = 4;
    int each = 10_000;
    int[] next = new int[producers]; // not atomic on purpose
    int[] total = new int[1];
    Queue<String> faults = new ConcurrentLinkedQueue<>();
    List<Thread> threads = new ArrayList<>();
    for (int p = 0; p < producers; p++) {
      int producer = p;
      Thread thread =
          new Thread(
              () -> {
                for (int i = 0; i < each; i++) {
                  int number = i;
                  loop.execute(
                      () -> {
                        if (next[producer] != number) {
                          faults.add("expected " + next[producer] + ", got " + number);
                        }
                        next[producer] = number + 1;
                        total[0]++;
                      });
                }
              });
      threads.add(thread);
      thread.start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertEquals(producers * each, loop.submit(() -> total[0]).get());
    assertEquals(List.of(), List.copyOf(faults));
  }

  @Test
  void scheduledTasksAreSerialWithTheColorAndInOrderOfTheirDeadlines() throws Exception {
    AtomicInteger inside = new AtomicInteger();
    AtomicInteger together = new AtomicInteger();
    List<Integer> order = new ArrayList<>(); // not thread-safe on purpose
    Runnable work =
        () -> {
          if (inside.getAndIncrement() != 0) {
            together.incrementAndGet();
          }
          Thread.onSpinWait();
          inside.getAndDecrement();
        };
    // From inside: what comes from outside may be overdue when it arrives, and runs at once.
    Future<List<Future<?>>> scheduled =
        loop.submit(
            () -> {
              List<Future<?>> futures = new ArrayList<>();
              for (int i = 0; i < 200; i++) {
                int number = i;
                futures.add(
                    loop.schedule(
                        () -> {
                          work.run();
                          order.add(number);
                        },
                        1_000 + i * 100L,
                        TimeUnit.MICROSECONDS));
              }
              return futures;
            });
    List<Future<?>> all = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      all.add(loop.submit(work));
    }
    ScheduledFuture<?> ticks = loop.scheduleAtFixedRate(work, 0, 100, TimeUnit.MICROSECONDS);
    all.addAll(scheduled.get());
    for (Future<?> future : all) {
      future.get();
    }
    assertTrue(ticks.cancel(false));
    assertEquals(0, together.get());
    List<Integer> seen = loop.submit(() -> List.copyOf(order)).get();
    List<Integer> sorted = new ArrayList<>(seen);
    sorted.sort(null);
    assertEquals(200, seen.size());
    assertEquals(sorted, seen);
  }

  @Test
  void aTaskMayScheduleAndCancel() throws Exception {
    Promise<String> fired = loop.newPromise();
    Future<ScheduledFuture<?>> late =
        loop.submit(
            () -> {
              ScheduledFuture<?> never =
                  loop.schedule(() -> fired.trySuccess("late"), 1, TimeUnit.HOURS);
              loop.schedule(() -> fired.trySuccess("early"), 1, TimeUnit.MILLISECONDS);
              return never;
            });
    assertEquals("early", fired.get(120, TimeUnit.SECONDS));
    assertTrue(late.get().cancel(false)); // from outside: a task takes it out of the heap
    assertEquals(ColorEventLoop.NO_DEADLINE, loop.submit(loop::nextDeadline).get());
  }

  @Test
  void fixedDelayTasksRepeatUntilTheyFail() throws Exception {
    AtomicInteger runs = new AtomicInteger();
    ScheduledFuture<?> future =
        loop.scheduleWithFixedDelay(
            () -> {
              if (runs.incrementAndGet() == 5) {
                throw new IllegalStateException("enough");
              }
            },
            0,
            1,
            TimeUnit.MILLISECONDS);
    Throwable thrown = assertThrows(ExecutionException.class, () -> future.get());
    assertInstanceOf(IllegalStateException.class, thrown.getCause());
    assertEquals(5, runs.get());
  }

  @Test
  void waitingForOnesOwnPromiseIsRefused() throws Exception {
    Future<?> task =
        loop.submit(
            () -> {
              loop.newPromise().await();
              return null;
            });
    Throwable thrown = assertThrows(ExecutionException.class, () -> task.get());
    assertInstanceOf(BlockingOperationException.class, thrown.getCause());
  }

  @Test
  void aColorMayWaitForAnotherOne() throws Exception {
    CountDownLatch waiting = new CountDownLatch(1);
    Promise<String> answer = other.newPromise();
    Future<String> task =
        loop.submit(
            () -> {
              waiting.countDown();
              return answer.await().getNow();
            });
    waiting.await();
    other.execute(() -> answer.setSuccess("answered"));
    assertEquals("answered", task.get(120, TimeUnit.SECONDS));
  }

  @Test
  void anErrorInATaskCostsNobodyElseAnything() throws Exception {
    List<String> ran = new ArrayList<>();
    loop.execute(() -> ran.add("before"));
    loop.execute(
        () -> {
          throw new StackOverflowError("planted");
        });
    loop.execute(() -> ran.add("after"));
    assertEquals(List.of("before", "after"), loop.submit(() -> List.copyOf(ran)).get());
    for (int i = 0; i < 50; i++) {
      int number = i;
      assertEquals(i, other.submit(() -> number).get());
    }
  }

  @Test
  void tasksAfterTheIterationRunAfterThePendingOnes() throws Exception {
    List<String> ran = new ArrayList<>();
    loop.submit(
            () -> {
              ((SingleThreadEventLoop) loop).executeAfterEventLoopIteration(() -> ran.add("after"));
              ran.add("now");
            })
        .get();
    assertEquals(List.of("now", "after"), loop.submit(() -> List.copyOf(ran)).get());
  }

  @Test
  void nullIsNoTask() {
    assertThrows(NullPointerException.class, () -> loop.execute(null));
  }
}
