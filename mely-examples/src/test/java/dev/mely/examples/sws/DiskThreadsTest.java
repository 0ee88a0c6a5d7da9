package dev.mely.examples.sws;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.mely.topology.AllowedCpus;
import dev.mely.topology.Pinning;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Threads that do not come back from the disk. */
class DiskThreadsTest {
  private static final int THREADS = 2;
  private static final Path STATUS = Path.of("/proc/thread-self/status");

  private final DiskThreads disk = new DiskThreads("test-disk", THREADS, 100, 50);
  private final CountDownLatch stuck = new CountDownLatch(1);
  private final AtomicInteger begun = new AtomicInteger();
  private final AtomicInteger overdue = new AtomicInteger();

  @AfterEach
  void stop() {
    stuck.countDown();
    disk.close();
  }

  private DiskThreads.Job job(Runnable work) {
    return new DiskThreads.Job() {
      @Override
      public void run() {
        begun.incrementAndGet();
        work.run();
      }

      @Override
      public void overdue(boolean failed) {
        overdue.incrementAndGet();
      }
    };
  }

  /** May be overdue on a busy machine, which does not matter here. */
  private static DiskThreads.Job quick(Runnable work) {
    return new DiskThreads.Job() {
      @Override
      public void run() {
        work.run();
      }

      @Override
      public void overdue(boolean failed) {}
    };
  }

  /** As an open of a pipe: it cannot be interrupted. */
  private void block() {
    boolean interrupted = false;
    while (true) {
      try {
        stuck.await();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** The successor of a lost thread is started by who has the next job: an event loop. */
  @Test
  void successorsAreNotPinnedAsTheEventLoopIs() throws Exception {
    assumeTrue(Files.isReadable(STATUS), "needs Linux");
    for (int i = 0; i < THREADS; i++) {
      disk.execute(job(this::block));
    }
    await().until(() -> disk.lost() == THREADS);
    BlockingQueue<String> masks = new LinkedBlockingQueue<>();
    FutureTask<Boolean> loop =
        new FutureTask<>(
            () -> {
              boolean pinned = Pinning.affinity().pin(AllowedCpus.system().cpus()[0]);
              disk.execute(quick(() -> masks.add(mask(STATUS))));
              return pinned;
            });
    new Thread(loop).start();
    assumeTrue(loop.get(), "threads cannot be pinned here");
    assertEquals(mask(Path.of("/proc/self/status")), masks.take());
  }

  private static String mask(Path status) {
    try {
      return Files.readString(status)
          .lines()
          .filter(line -> line.startsWith("Cpus_allowed_list:"))
          .findFirst()
          .orElseThrow();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void lostThreadsAreReplacedAndComeBack() throws Exception {
    for (int i = 0; i < 3 * THREADS; i++) {
      disk.execute(job(this::block));
    }
    await().until(() -> disk.lost() == 3 * THREADS);
    await().until(() -> overdue.get() >= 3 * THREADS);
    assertEquals(3 * THREADS, overdue.get(), "each is told once");
    CountDownLatch ran = new CountDownLatch(1);
    disk.execute(quick(ran::countDown));
    assertTrue(ran.await(120, TimeUnit.SECONDS), "a job beside those that are stuck");
    stuck.countDown();
    await().until(() -> disk.lost() == 0);
    CountDownLatch again = new CountDownLatch(1);
    disk.execute(quick(again::countDown));
    assertTrue(again.await(120, TimeUnit.SECONDS));
    assertEquals(3 * THREADS, overdue.get());
  }

  @Test
  void whenAllAreLostEveryJobIsRefusedAtOnce() {
    int all = THREADS + DiskThreads.MAX_LOST;
    int accepted = 0;
    try {
      while (accepted < all + 10) {
        disk.execute(job(this::block));
        accepted++;
      }
    } catch (RejectedExecutionException late) {
      // This thread had to wait for its CPU until all of them were lost.
    }
    int told = accepted;
    assertTrue(told >= all);
    await().until(() -> disk.lost() == all);
    // Those that wait will never run: they are told as well.
    await().until(() -> overdue.get() == told);
    assertEquals(all, begun.get());
    assertThrows(RejectedExecutionException.class, () -> disk.execute(job(() -> {})));
    stuck.countDown();
    await().until(() -> disk.lost() == 0);
    disk.execute(job(() -> {}));
    await().until(() -> begun.get() == all + 1);
  }

  @Test
  void tooManyThatWaitAreRefused() {
    assertThrows(
        RejectedExecutionException.class,
        () -> {
          for (int i = 0; i < 10_000; i++) {
            disk.execute(job(this::block));
          }
        });
  }
}
