package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class PollSectionTest {
  private final AtomicInteger wakeups = new AtomicInteger();
  private final PollSection section = new PollSection(true, wakeups::incrementAndGet);

  @Test
  void aFreeSectionRunsATaskAtOnce() {
    List<Boolean> inside = new ArrayList<>();
    section.execute(() -> inside.add(section.isExecutorThread(Thread.currentThread())));
    assertEquals(List.of(true), inside);
    assertFalse(section.isExecutorThread(Thread.currentThread()));
    assertEquals(0, wakeups.get());
  }

  @Test
  void theHolderIsWokenAndRunsWhatOthersLeave() throws Exception {
    section.enter();
    CountDownLatch left = new CountDownLatch(1);
    Thread other =
        new Thread(
            () -> {
              section.execute(() -> {});
              left.countDown();
            });
    other.start();
    left.await();
    assertEquals(1, wakeups.get());
    assertTrue(section.hasTasks());
    section.exit();
    assertFalse(section.hasTasks());
  }

  @Test
  void tasksOfManyThreadsExcludeEachOtherAndNoneIsLost() throws Exception {
    int threads = 4;
    int each = 50_000;
    int[] count = new int[1]; // not atomic on purpose
    List<Thread> all = new ArrayList<>();
    for (int t = 0; t < threads; t++) {
      boolean calls = t % 2 == 0;
      Thread thread =
          new Thread(
              () -> {
                for (int i = 0; i < each; i++) {
                  if (calls && i % 16 == 0) {
                    call(count);
                  } else {
                    section.execute(() -> count[0]++);
                  }
                }
              });
      all.add(thread);
      thread.start();
    }
    for (Thread thread : all) {
      thread.join();
    }
    assertEquals(threads * each, section.call(() -> count[0]));
  }

  private void call(int[] count) {
    try {
      section.call(() -> count[0]++);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void aTaskThatThrowsDoesNotStopTheOthers() throws Exception {
    section.execute(
        () -> {
          throw new IllegalStateException("planted");
        });
    assertEquals("next", section.call(() -> "next"));
    assertThrows(
        IllegalArgumentException.class,
        () ->
            section.call(
                () -> {
                  throw new IllegalArgumentException("planted");
                }));
  }

  @Test
  void aSectionBoundToAThreadIsEnteredByNoOther() throws Exception {
    PollSection bound = new PollSection(false, wakeups::incrementAndGet);
    assertFalse(bound.tryEnter());
    bound.execute(() -> {});
    assertTrue(bound.hasTasks(), "left for the thread");
    bound.bindTo(Thread.currentThread());
    assertTrue(bound.tryEnter());
    bound.exit();
    assertFalse(bound.hasTasks());
  }

  @Test
  void aClosedSectionRunsWhatWasLeftAndNothingElse() throws Exception {
    AtomicInteger ran = new AtomicInteger();
    section.enter();
    Thread other = new Thread(() -> section.execute(ran::incrementAndGet));
    other.start();
    other.join();
    section.close();
    section.exit();
    assertEquals(1, ran.get());
    section.execute(ran::incrementAndGet);
    assertThrows(RejectedExecutionException.class, () -> section.call(ran::incrementAndGet));
    assertEquals(1, ran.get());
  }
}
