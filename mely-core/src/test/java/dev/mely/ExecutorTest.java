package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.openjdk.jol.info.ClassLayout;

/** A color as an executor, and a color for each task: see {@link Mely#executor}. */
class ExecutorTest {
  private final StillMely still = new StillMely(2, StealPolicy.OFF);
  private final Mely mely = still.mely;
  private final List<String> ran = new ArrayList<>();

  @Test
  void tasksAreEventsOfTheColorInOrder() {
    Color color = mely.newColor(0);
    Executor executor = mely.executor(color);
    executor.execute(() -> ran.add("1 " + color.isCurrent()));
    mely.register(color, Handler.of(ran::add), "2");
    mely.executor(color).execute(() -> ran.add("3"));
    still.run(0);
    assertEquals(List.of("1 true", "2", "3"), ran);
  }

  @Test
  void aTaskOfTheColorItselfDoesNotRunAtOnce() {
    Color color = mely.newColor(0);
    Executor executor = mely.executor(color);
    executor.execute(
        () -> {
          executor.execute(() -> ran.add("inner"));
          ran.add("outer");
        });
    still.run(0);
    assertEquals(List.of("outer", "inner"), ran);
  }

  @Test
  void aFutureGoesIntoAColorAndComesBackIntoAnother() {
    Color disk = mely.newColor(0);
    Color connection = mely.newColor(1);
    CompletableFuture.supplyAsync(() -> "page " + disk.isCurrent(), mely.executor(disk))
        .thenAcceptAsync(
            page -> ran.add(page + ", " + connection.isCurrent()), mely.executor(connection));
    still.runAll();
    assertEquals(List.of("page true, true"), ran);
  }

  @Test
  void whatATaskThrowsGoesToTheErrorHandlerUnlessTheTaskKeepsIt() {
    Color color = mely.newColor(0);
    CompletableFuture<Void> kept =
        CompletableFuture.runAsync(ExecutorTest::fail, mely.executor(color));
    still.run(0);
    assertTrue(kept.isCompletedExceptionally());
    assertEquals(List.of(), still.errors);
    mely.executor(color).execute(ExecutorTest::fail);
    still.run(0);
    assertEquals(1, still.errors.size(), still.errors::toString);
  }

  private static void fail() {
    throw new IllegalStateException("planned");
  }

  @Test
  void aColorOfAnotherRuntimeIsRefused() {
    Color foreign = new StillMely(1, StealPolicy.OFF).mely.newColor();
    assertThrows(IllegalArgumentException.class, () -> mely.executor(foreign));
  }

  @Test
  void nothingIsAcceptedAfterTheEnd() {
    Executor executor = mely.executor(mely.newColor());
    mely.shutdown(Duration.ZERO);
    assertThrows(RejectedExecutionException.class, () -> executor.execute(() -> {}));
  }

  // ---- A color for each task

  @Test
  void tasksWithoutAColorRunBesideEachOther() throws Exception {
    try (Mely real = Mely.builder().cores(2).build()) {
      CyclicBarrier both = new CyclicBarrier(2);
      CountDownLatch met = new CountDownLatch(4);
      Runnable meet =
          () -> {
            await(both); // returns only if the other task is here, too
            met.countDown();
          };
      real.executor().execute(meet);
      real.executor().execute(meet);
      real.executor()
          .execute(
              () -> {
                real.executor().execute(meet); // both start here, and one is stolen
                meet.run();
              });
      assertTrue(met.await(120, TimeUnit.SECONDS));
    }
  }

  private static void await(CyclicBarrier barrier) {
    try {
      barrier.await(120, TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void tasksFromOutsideAreSpreadOverTheCores() {
    for (int i = 0; i < 4; i++) {
      mely.executor().execute(() -> ran.add(where()));
    }
    still.run(1);
    assertEquals(List.of("core 1", "core 1"), ran);
    still.run(0);
    assertEquals(List.of("core 1", "core 1", "core 0", "core 0"), ran);
  }

  @Test
  void aTaskOfAWorkerStartsAtItsCore() {
    for (int core = 0; core < 2; core++) {
      mely.executor(mely.newColor(core))
          .execute(
              () -> {
                for (int i = 0; i < 3; i++) {
                  mely.executor().execute(() -> ran.add(where()));
                }
              });
    }
    still.run(1);
    assertEquals(List.of("core 1", "core 1", "core 1"), ran);
    still.run(0);
    assertEquals(List.of("core 0", "core 0", "core 0"), ran.subList(3, 6));
  }

  @Test
  void longTasksOfAWorkerStartWhereFewerColorsWait() {
    StillMely two = StillMely.searching(StealPolicy.ALL);
    Executor executor = two.mely.executor();
    Runnable task = () -> two.host.advance(StillMely.STUCK_NANOS / 10);
    executor.execute(task); // what a task costs is known after this
    two.runAll();
    two.mely
        .executor(two.mely.newColor(0))
        .execute(
            () -> {
              for (int i = 0; i < 10; i++) {
                executor.execute(task);
              }
            });
    two.stepTo(0, WorkerState.FINISH);
    assertEquals(5, two.mely.inspect().colorsWaiting(0));
    assertEquals(5, two.mely.inspect().colorsWaiting(1));
  }

  @Test
  void theEmptierOfTwoCoresIsToldToWorkersAndOthers() {
    mely.execute(mely.newColor(0), () -> {});
    assertEquals(1, mely.inspect().emptierCore());
    mely.execute(mely.newColor(1), () -> ran.add("to " + mely.inspect().emptierCore()));
    mely.execute(mely.newColor(1), () -> {});
    still.run(1); // core 0 has one, core 1 itself one more behind this
    mely.execute(mely.newColor(1), () -> ran.add("to " + mely.inspect().emptierCore()));
    still.run(1);
    assertEquals(List.of("to 1", "to 1"), ran);
    assertEquals(0, new StillMely(1, StealPolicy.OFF).mely.inspect().emptierCore());
  }

  private String where() {
    Core core = still.scheduler.currentCore();
    return core == null ? "outside" : "core " + core.index;
  }

  /** Two at the same core, of which the first is long: an idle core takes the other. */
  @Test
  void idleCoresStealTasks() {
    StillMely two = StillMely.searching(StealPolicy.ALL);
    Executor executor = two.mely.executor();
    Runnable task = () -> two.host.advance(StillMely.STUCK_NANOS / 10);
    for (int i = 0; i < 4; i++) {
      executor.execute(task); // what a task costs is known after these
      two.runAll();
    }
    two.mely
        .executor(two.mely.newColor(0))
        .execute(
            () -> {
              executor.execute(task);
              executor.execute(task);
            });
    two.stepTo(0, WorkerState.FINISH);
    assertTrue(two.search() != null, "nothing was stolen");
  }

  @Test
  void whatATaskWithoutAColorThrowsGoesToTheErrorHandler() {
    mely.executor().execute(ExecutorTest::fail);
    mely.executor()
        .execute(
            () -> {
              throw new AssertionError("planned, too");
            });
    mely.executor().execute(() -> ran.add("goes on"));
    still.runAll();
    assertEquals(2, still.errors.size(), still.errors::toString);
    assertEquals(List.of("goes on"), ran);
  }

  @Test
  void tasksWithoutAColorCountAmongThosePending() throws Exception {
    try (Mely real = Mely.builder().cores(1).maxPending(2).build()) {
      CountDownLatch inside = new CountDownLatch(1);
      CountDownLatch open = new CountDownLatch(1);
      Executor executor = real.executor();
      executor.execute(
          () -> {
            inside.countDown();
            pass(open);
          });
      assertTrue(inside.await(120, TimeUnit.SECONDS));
      CountDownLatch done = new CountDownLatch(2);
      executor.execute(done::countDown);
      executor.execute(done::countDown);
      assertThrows(RejectedExecutionException.class, () -> executor.execute(done::countDown));
      open.countDown();
      assertTrue(done.await(120, TimeUnit.SECONDS));
    }
  }

  private static void pass(CountDownLatch latch) {
    try {
      assertTrue(latch.await(120, TimeUnit.SECONDS));
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Each task has a color of its own, which is never full. */
  @Test
  void aBoundPerColorDoesNotConcernThem() throws Exception {
    try (Mely real = Mely.builder().cores(1).maxPendingPerColor(1).build()) {
      CountDownLatch open = new CountDownLatch(1);
      CountDownLatch done = new CountDownLatch(3);
      real.executor().execute(() -> pass(open));
      for (int i = 0; i < 3; i++) {
        real.executor().execute(done::countDown);
      }
      open.countDown();
      assertTrue(done.await(120, TimeUnit.SECONDS));
    }
  }

  @Test
  void whatIsLeftAtTheEndIsRejected() {
    Executor executor = mely.executor();
    executor.execute(() -> ran.add("never"));
    assertEquals(1, mely.shutdown(Duration.ZERO).eventsLeft());
    assertThrows(RejectedExecutionException.class, () -> executor.execute(() -> {}));
    assertThrows(NullPointerException.class, () -> executor.execute(null));
    assertEquals(List.of(), ran);
  }

  // ---- What they weigh

  /** Without what the task itself takes. */
  @Test
  void aTaskAndItsColorTake80Bytes() {
    long color = ClassLayout.parseClass(Color.class).instanceSize();
    long event = ClassLayout.parseClass(Envelope.class).instanceSize();
    assertTrue(color + event <= 80, () -> color + " and " + event);
  }

  /** JOL cannot look into the class of a lambda, so what the thread allocates is counted. */
  @Test
  void anExecutorTakes128BytesAtMost() {
    var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    Color color = mely.newColor();
    Executor[] kept = new Executor[10_000];
    kept[0] = mely.executor(color); // loads the class
    long before = threads.getCurrentThreadAllocatedBytes();
    for (int i = 0; i < kept.length; i++) {
      kept[i] = mely.executor(color);
    }
    long each = (threads.getCurrentThreadAllocatedBytes() - before) / kept.length;
    assertTrue(each > 0 && each <= 128, () -> "bytes: " + each);
    assertSame(mely.executor(), mely.executor(), "one for the runtime");
  }

  /** Where colors are bounded each has a count, and a bound. */
  @Test
  void aTaskAndItsBoundedColorTake176BytesAtMost() {
    SettingsBuilder settings = new SettingsBuilder();
    settings.cores = 1;
    settings.maxPendingPerColor = 1;
    StillMely bounded = new StillMely(settings);
    BoundedColor color = (BoundedColor) bounded.mely.newColor();
    long size =
        ClassLayout.parseInstance(color).instanceSize()
            + ClassLayout.parseInstance(color.room).instanceSize()
            + ClassLayout.parseInstance(color.rooms).instanceSize()
            + ClassLayout.parseClass(Envelope.class).instanceSize();
    assertTrue(size <= 176, () -> "bytes: " + size);
  }
}
