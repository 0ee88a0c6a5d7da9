package dev.mely.nio;

import static dev.mely.nio.Rig.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.mely.Color;
import dev.mely.Handler;
import dev.mely.Migrating;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Sources that are paused, resumed, replaced and refused at any moment lose nothing. */
@Timeout(300)
class SourceRaceTest {
  private static final long SEED = 77;

  @AutoClose private final TestPipe pipe = new TestPipe();

  /**
   * Paused and resumed by several threads at any moment, and run on any core: what is written is
   * read, to the last byte, or this hangs.
   */
  @Test
  void noEventIsLostBetweenPauseAndResume() throws Exception {
    try (Rig rig = new Rig(3, b -> Migrating.on(b, SEED))) {
      AtomicInteger bytes = new AtomicInteger();
      Color color = rig.mely().newColor();
      Source source =
          rig.nio.readable(pipe.in, color, Handler.of(e -> pipe.take(bytes)), "event").resume();
      Thread[] togglers = new Thread[2];
      for (int t = 0; t < togglers.length; t++) {
        SplittableRandom random = new SplittableRandom(SEED + t);
        togglers[t] =
            new Thread(
                () -> {
                  for (int i = 0; i < 20_000; i++) {
                    source.pause();
                    if (random.nextInt(8) == 0) {
                      Thread.yield();
                    }
                    source.resume();
                  }
                });
        togglers[t].start();
      }
      int written = 0;
      while (togglers[0].isAlive() || togglers[1].isAlive()) {
        pipe.write(1);
        written++;
        int expected = written;
        if (written % 64 == 0) {
          await().until(() -> bytes.get() == expected);
        }
      }
      int expected = written;
      await().until(() -> bytes.get() == expected);
    }
  }

  /** Cancelled while its event is posted, run or re-armed, and replaced at once. */
  @RepeatedTest(20)
  void noEventIsLostWhenSourcesAreReplaced() throws Exception {
    try (Rig rig = new Rig(3, b -> Migrating.on(b, SEED))) {
      AtomicInteger bytes = new AtomicInteger();
      Color color = rig.mely().newColor();
      Handler<String> take = Handler.of(e -> pipe.take(bytes));
      for (int i = 1; i <= 2_000; i++) {
        Source source = rig.nio.readable(pipe.in, color, take, "event").resume();
        pipe.write(1);
        if (i % 3 == 0) {
          Thread.yield();
        }
        source.cancel();
        if (i % 100 == 0) {
          Source last = rig.nio.readable(pipe.in, color, take, "event").resume();
          int expected = i;
          await().until(() -> bytes.get() == expected);
          last.cancel();
        }
      }
    }
  }

  /** No room for another event: the input stays in the pipe, and results are let pipe.in. */
  @Test
  void fullRuntimeLosesNothing() throws Exception {
    try (Rig rig = new Rig(2, b -> b.maxPending(2).maxPendingPerColor(2))) {
      AtomicInteger bytes = new AtomicInteger();
      AtomicInteger results = new AtomicInteger();
      Color color = rig.mely().newColor();
      CountDownLatch started = new CountDownLatch(1);
      CountDownLatch go = new CountDownLatch(1);
      Handler<String> wait =
          Handler.of(
              e -> {
                started.countDown();
                go.await();
              });
      rig.nio.readable(pipe.in, color, Handler.of(e -> pipe.take(bytes)), "event").resume();
      rig.mely().register(color, wait, "busy");
      started.await();
      while (true) {
        try {
          rig.mely().register(color, Handler.of(e -> {}), "fills it up");
        } catch (RejectedExecutionException full) {
          break;
        }
      }
      pipe.write(10);
      for (int i = 0; i < 10; i++) {
        rig.nio.call(() -> 1, color, Handler.of(done -> results.addAndGet(done.get())));
      }
      // The last one above, the results, and the source.
      await().until(() -> rig.mely().inspect().statistics().refused() == 12);
      assertEquals(0, bytes.get());
      go.countDown();
      await().until(() -> bytes.get() == 10 && results.get() == 10);
    }
  }
}
