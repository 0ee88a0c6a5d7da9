package dev.mely.nio;

import static dev.mely.nio.Rig.await;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.Color;
import dev.mely.Handler;
import dev.mely.StealPolicy;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The shortest ways to notice that a rule of the protocol is broken. Each either ends or hangs,
 * short of the one that counts.
 */
public enum Scenario {
  /** What a handler leaves unread is reported again. */
  READ_IN_PIECES {
    @Override
    void run() throws Exception {
      try (Rig rig = rig();
          TestPipe pipe = new TestPipe()) {
        AtomicInteger bytes = new AtomicInteger();
        pipe.write(10);
        rig.nio.readable(pipe.in, rig.mely().newColor(), reading(pipe, bytes), "event").resume();
        await().until(() -> bytes.get() == 10);
      }
    }
  },

  /** A core that sleeps in its selector takes note of a change of interest. */
  RESUME_WHILE_ASLEEP {
    @Override
    void run() throws Exception {
      try (Rig rig = rig();
          TestPipe pipe = new TestPipe()) {
        AtomicInteger bytes = new AtomicInteger();
        pipe.write(1);
        Source source =
            rig.nio.readable(pipe.in, rig.mely().newColor(), reading(pipe, bytes), "event");
        untilAsleep(rig);
        source.resume();
        await().until(() -> bytes.get() == 1);
      }
    }
  },

  /** A core that sleeps in its selector gives up the descriptor of a closed channel. */
  CLOSE_WHILE_ASLEEP {
    @Override
    void run() throws Exception {
      try (Rig rig = rig();
          TestPipe pipe = new TestPipe()) {
        rig.nio.readable(pipe.in, rig.mely().newColor(), Handler.of(e -> {}), "event").resume();
        untilAsleep(rig);
        long before = Rig.descriptors();
        rig.nio.close(pipe.in);
        await().until(() -> Rig.descriptors() < before);
      }
    }
  },

  /** A poll that does not wait leaves a wake-up to the one that does. */
  WAKEUP_BETWEEN_POLLS {
    @Override
    void run() throws Exception {
      SelectorPoller poller = new SelectorPoller(0);
      try {
        poller.wakeup();
        poller.poll(0);
        poller.poll(Long.MAX_VALUE);
      } finally {
        poller.close();
      }
    }
  },

  /** The home core of a channel sleeps while the channel's event is handled elsewhere. */
  SLEEP_WHILE_IN_FLIGHT {
    @Override
    void run() throws Exception {
      // Between two polls a core that spins gives its CPU away, for long under load: no spins.
      try (Rig rig = new Rig(2, b -> b.policy(StealPolicy.parse("off")).spins(0));
          TestPipe pipe = new TestPipe()) {
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        pipe.write(1);
        // The first source decides where the channel's home is.
        Color elsewhere = rig.mely().newPinnedColor(1);
        Source home = rig.nio.readable(pipe.in, rig.mely().newColor(0), Handler.of(e -> {}), "e");
        home.cancel();
        Handler<String> busy =
            Handler.of(
                e -> {
                  started.countDown();
                  go.await();
                  pipe.in.close();
                });
        rig.nio.readable(pipe.in, elsewhere, busy, "event").resume();
        started.await();
        try {
          long before = rig.mely().inspect().statistics().total().polls();
          for (int i = 0; i < 20; i++) { // each time the core may run as well
            Thread.sleep(50);
            long polls = rig.mely().inspect().statistics().total().polls() - before;
            assertTrue(polls < 20, () -> polls + " polls with nothing to find");
          }
        } finally {
          go.countDown();
        }
      }
    }
  };

  abstract void run() throws Exception;

  /** For who has loaded this class beside the other one. */
  public static void run(String name) throws Exception {
    valueOf(name).run();
  }

  /** Reads one byte of what there is. */
  private static Handler<String> reading(TestPipe pipe, AtomicInteger bytes) {
    return Handler.of(e -> pipe.take(bytes));
  }

  /** Without thieves, a core that sleeps sleeps until it is woken. */
  private static Rig rig() throws Exception {
    return new Rig(2, b -> b.policy(StealPolicy.parse("off")));
  }

  private static void untilAsleep(Rig rig) {
    long[] parks = {-1, -1};
    await()
        .pollInterval(Duration.ofMillis(20))
        .until(
            () -> {
              parks[0] = parks[1];
              parks[1] = rig.mely().inspect().statistics().total().parks();
              return parks[0] == parks[1]
                  && rig.mely().inspect().isQuiescent(); // else it may not sleep yet
            });
  }
}
