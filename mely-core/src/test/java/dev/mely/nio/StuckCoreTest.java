package dev.mely.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.Color;
import dev.mely.Handler;
import dev.mely.StealPolicy;
import dev.mely.report.Statistics;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** No worker waits in its selector while there is something that it could run (requirement A7). */
@Timeout(300)
class StuckCoreTest {
  /** One handler blocks core 0: connections and servers whose home it is go on. */
  @Test
  void channelsOfAStuckCoreAreLookedAfter() throws Exception {
    CountDownLatch unblock = new CountDownLatch(1);
    try (ServerSocketChannel server = Rig.listen();
        Rig rig = new Rig(2)) {
      Handler<SocketChannel> echo = Handler.of(StuckCoreTest::echo);
      rig.nio
          .accept(
              server,
              rig.mely().newColor(0),
              Handler.of(c -> rig.nio.readable(c, rig.mely().newColor(0), echo, c).resume()))
          .resume();
      try (SocketChannel before = Rig.client(server)) {
        ping(before);
        CountDownLatch blocked = new CountDownLatch(1);
        rig.mely()
            .execute(
                rig.mely().newPinnedColor(0),
                () -> {
                  blocked.countDown();
                  await(unblock);
                });
        blocked.await();
        for (int i = 0; i < 20; i++) {
          ping(before);
          try (SocketChannel during = Rig.client(server)) {
            ping(during);
          }
        }
        assertEquals(1, unblock.getCount());
        // Where the machine is slow its handlers are costly, and what is costly is stolen at once.
        Statistics.PerCore total = rig.mely().inspect().statistics().total();
        assertTrue(total.takeovers() + total.colorsStolen() > 0, total::toString);
        unblock.countDown();
        for (int i = 0; i < 20; i++) {
          ping(before);
        }
      } finally {
        unblock.countDown();
      }
    }
  }

  /** A worker that waits in its selector is called to steal: the two can only end together. */
  @Test
  void waitingWorkerIsCalledToSteal() throws Exception {
    try (Rig rig = new Rig(2, b -> b.stuckAfter(Duration.ofDays(1)))) {
      for (int round = 0; round < 20; round++) {
        untilAllWait(rig);
        CyclicBarrier both = new CyclicBarrier(2);
        CountDownLatch done = new CountDownLatch(2);
        Handler<CyclicBarrier> meet =
            Handler.of(
                    (CyclicBarrier barrier) -> {
                      meet(barrier);
                      done.countDown();
                    })
                .cost(Duration.ofMillis(1))
                .penalty(1);
        Color first = rig.mely().newColor(0);
        Color second = rig.mely().newColor(0);
        rig.mely()
            .execute(
                rig.mely().newColor(0),
                () -> {
                  rig.mely().register(first, meet, both);
                  rig.mely().register(second, meet, both);
                });
        done.await();
      }
    }
  }

  /** A registration from outside, and a change of interest, wake the worker that waits. */
  @Test
  void waitingWorkerIsWoken() throws Exception {
    try (Rig rig = new Rig(2, b -> b.policy(StealPolicy.parse("off")));
        ServerSocketChannel server = Rig.listen()) {
      for (int round = 0; round < 20; round++) {
        untilAllWait(rig);
        CountDownLatch ran = new CountDownLatch(1);
        rig.mely().execute(rig.mely().newColor(round % 2), ran::countDown);
        ran.await();

        try (SocketChannel client = Rig.client(server)) {
          SocketChannel accepted = server.accept();
          accepted.configureBlocking(false);
          client.write(ByteBuffer.allocate(1));
          untilAllWait(rig);
          Source source =
              rig.nio.readable(
                  accepted,
                  rig.mely().newColor(round % 2),
                  Handler.<SocketChannel>of(StuckCoreTest::echo),
                  accepted);
          untilAllWait(rig);
          source.resume();
          assertEquals(1, client.read(ByteBuffer.allocate(1)));
        }
      }
    }
  }

  /**
   * The core comes unstuck while another worker polls for it, and is given a pinned event at that
   * moment, which nobody else may run.
   */
  @Test
  void takeoverSwallowsNoWakeup() throws Exception {
    try (Rig rig = new Rig(2, b -> b.spins(0));
        ServerSocketChannel server = Rig.listen()) {
      Handler<SocketChannel> echo = Handler.of(StuckCoreTest::echo);
      Color pinned = rig.mely().newPinnedColor(0);
      rig.nio
          .accept(
              server,
              rig.mely().newColor(0),
              Handler.of(c -> rig.nio.readable(c, pinned, echo, c).resume()))
          .resume();
      try (SocketChannel client = Rig.client(server)) {
        for (int round = 0; round < 300; round++) {
          CountDownLatch unblock = new CountDownLatch(1);
          CountDownLatch blocked = new CountDownLatch(1);
          rig.mely()
              .execute(
                  pinned,
                  () -> {
                    blocked.countDown();
                    await(unblock);
                  });
          blocked.await();
          if (round % 3 == 0) {
            Thread.sleep(2); // long enough to be found stuck
          }
          client.write(ByteBuffer.wrap(new byte[] {7}));
          unblock.countDown();
          assertEquals(1, client.read(ByteBuffer.allocate(1)));
        }
      }
    }
  }

  /** Events from outside, one after the other, to cores that have just gone to sleep. */
  @Test
  void noWakeupIsLost() throws Exception {
    try (Rig rig = new Rig(3, b -> b.policy(StealPolicy.parse("off")).spins(0))) {
      Thread[] producers = new Thread[3];
      CountDownLatch done = new CountDownLatch(producers.length * 2_000);
      for (int p = 0; p < producers.length; p++) {
        Color color = rig.mely().newColor(p);
        producers[p] =
            new Thread(
                () -> {
                  for (int i = 0; i < 2_000; i++) {
                    CountDownLatch ran = new CountDownLatch(1);
                    rig.mely().execute(color, ran::countDown);
                    await(ran);
                    done.countDown();
                  }
                });
        producers[p].start();
      }
      done.await();
      for (Thread producer : producers) {
        producer.join();
      }
    }
  }

  /** The wait of a core with timers ends in time, and does not turn into a spin before. */
  @Test
  void waitEndsWithTheNextTimer() throws Exception {
    try (Rig rig = new Rig(2, b -> b.policy(StealPolicy.parse("off")))) {
      long start = System.nanoTime();
      CountDownLatch fired = new CountDownLatch(100);
      rig.mely()
          .scheduleAtFixedRate(
              rig.mely().newColor(),
              Handler.of(e -> fired.countDown()),
              "tick",
              Duration.ofMillis(1),
              Duration.ofMillis(3));
      fired.await();
      long polls = rig.mely().inspect().statistics().total().polls();
      long millis = (System.nanoTime() - start) / 1_000_000; // 300, where nothing else runs
      assertTrue(polls < 6 * millis, polls + " polls for 100 timers in " + millis + " ms");
    }
  }

  private static void untilAllWait(Rig rig) {
    long[] parks = {-1, -1};
    Rig.await()
        .pollInterval(Duration.ofMillis(5))
        .until(
            () -> {
              parks[0] = parks[1];
              parks[1] = rig.mely().inspect().statistics().total().parks();
              return parks[0] == parks[1];
            });
  }

  private static void echo(SocketChannel channel) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(16);
    if (channel.read(buffer) < 0) {
      channel.close();
    } else {
      channel.write(buffer.flip());
    }
  }

  private static void ping(SocketChannel client) throws IOException {
    client.write(ByteBuffer.wrap(new byte[] {7}));
    ByteBuffer in = ByteBuffer.allocate(1);
    assertEquals(1, client.read(in));
    assertEquals(7, in.get(0));
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void meet(CyclicBarrier barrier) throws InterruptedException {
    try {
      barrier.await();
    } catch (BrokenBarrierException e) {
      throw new IllegalStateException(e);
    }
  }
}
