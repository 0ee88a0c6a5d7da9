package dev.mely;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.report.ShutdownReport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** As many events are pending as may be, and producers wait for room. */
@Timeout(300)
class BlockedProducerTest {
  private final List<Object> ran = Collections.synchronizedList(new ArrayList<>());
  private final Handler<Object> note = Handler.of(ran::add);

  private final CountDownLatch unblock = new CountDownLatch(1);
  private @Nullable Mely running;

  @AfterEach
  void close() {
    unblock.countDown();
    if (running != null) {
      running.close();
    }
  }

  @Test
  void producerWaitsForRoom() throws InterruptedException {
    for (boolean perColor : new boolean[] {true, false}) {
      MelyBuilder builder =
          Mely.builder().cores(1).pinned(false).overflow(MelyBuilder.Overflow.BLOCK);
      Mely mely = (perColor ? builder.maxPendingPerColor(2) : builder.maxPending(2)).build();
      CountDownLatch release = new CountDownLatch(1);
      Color color = mely.newColor();
      blockCore(mely, release);
      ran.clear();
      AtomicInteger in = new AtomicInteger();
      Threads producer = new Threads();
      producer.add(
          () -> {
            for (int i = 0; i < 20; i++) {
              mely.register(color, note, i);
              in.incrementAndGet();
            }
          });
      producer.start();
      await().until(() -> mely.inspect().statistics().blocked() == 1);
      assertEquals(2, in.get(), "the third waits");
      assertEquals(0, mely.inspect().statistics().refused());
      release.countDown();
      producer.join();
      mely.close();
      List<Integer> all = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        all.add(i);
      }
      assertEquals(all, ran);
      assertTrue(mely.inspect().statistics().blocked() >= 1);
      assertEquals(0, mely.inspect().statistics().refused());
    }
  }

  /**
   * Another has waited for longer, for room in another color: it must not be woken in its place.
   */
  @Test
  void producerIsWokenByRoomInItsOwnColor() throws InterruptedException {
    Mely mely =
        Mely.builder()
            .cores(2)
            .pinned(false)
            .stuckAfter(Duration.ofDays(1))
            .maxPendingPerColor(1)
            .overflow(MelyBuilder.Overflow.BLOCK)
            .build();
    running = mely;
    CountDownLatch other = new CountDownLatch(1);
    Color[] full = {mely.newPinnedColor(0), mely.newPinnedColor(1)};
    for (int core = 0; core < 2; core++) {
      blockCore(mely, core, core == 0 ? unblock : other);
      mely.register(full[core], note, "fills");
    }
    Producer[] producers = new Producer[2];
    for (int core = 0; core < 2; core++) {
      Producer producer = new Producer(mely, full[core]);
      producers[core] = producer;
      await().until(() -> producer.thread.getState() == Thread.State.WAITING);
    }
    other.countDown();
    producers[1].thread.join();
    assertTrue(producers[0].thread.isAlive());
    unblock.countDown();
    producers[0].thread.join();
    mely.close();
    assertEquals(4, ran.size());
  }

  /**
   * An event over two colors holds the room of one for a moment, until it finds the other full: the
   * producer that has looked in that moment must not sleep on.
   */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void producerIsWokenByAnEventThatGivesItsRoomBack(boolean waits) throws InterruptedException {
    SettingsBuilder settings = new SettingsBuilder();
    settings.maxPendingPerColor = 1;
    settings.overflow = MelyBuilder.Overflow.BLOCK;
    StillMely still = new StillMely(settings);
    FakeHost.FakeParker parker = still.host.parker;
    Color color = still.mely.newColor();
    Color full = still.mely.newColor();
    still.mely.register(full, note, "fills");
    Room room = ((BoundedColor) color).room;
    assertTrue(room.tryTake(false));
    Threads producer = new Threads().add(() -> still.mely.register(color, note, "waits"));
    producer.start();
    await().until(() -> parker.go.getQueueLength() == 1);
    room.giveBack();
    assertEquals(0, parker.unparks);
    Permissions both = Permissions.write(color, full);
    Threads second = new Threads();
    if (waits) {
      second.add(() -> still.mely.register(both, note, "both")).start();
      await().until(() -> parker.go.getQueueLength() == 2);
    } else {
      still.host.as(
          0,
          () ->
              assertThrows(
                  RejectedExecutionException.class, () -> still.mely.register(both, note, "both")));
    }
    assertEquals(1, parker.unparks);
    parker.go.release();
    producer.join();
    still.run(0);
    parker.go.release();
    second.join();
    still.run(0);
    assertEquals(waits ? 3 : 2, ran.size());
    assertEquals(waits ? 0 : 1, still.mely.inspect().statistics().refused());
  }

  /** It would wait for itself. */
  @Test
  void handlerDoesNotWait() {
    SettingsBuilder settings = new SettingsBuilder();
    settings.maxPendingPerColor = 1;
    settings.overflow = MelyBuilder.Overflow.BLOCK;
    StillMely still = new StillMely(settings);
    Color full = still.mely.newColor();
    List<Throwable> refused = new ArrayList<>();
    Handler<Object> root =
        Handler.of(
            e -> {
              still.mely.register(full, note, 1);
              refused.add(
                  assertThrows(
                      RejectedExecutionException.class, () -> still.mely.register(full, note, 2)));
            });
    still.mely.register(still.mely.newColor(), root, "event");
    still.run(0);
    assertEquals(1, refused.size());
    assertEquals(List.of(), still.errors);
    assertEquals(List.of(1), ran);
    assertEquals(0, still.mely.inspect().statistics().blocked());
    assertEquals(1, still.mely.inspect().statistics().refused());
  }

  @Test
  void waitingProducersAreRefusedWhenShutdownBegins() throws InterruptedException {
    Mely mely = full();
    Producer[] producers = {new Producer(mely), new Producer(mely), new Producer(mely)};
    await().until(() -> mely.inspect().statistics().blocked() == 3);
    AtomicReference<@Nullable ShutdownReport> report = new AtomicReference<>();
    Threads closer = new Threads().add(() -> report.set(mely.shutdown(Duration.ofSeconds(50))));
    closer.start();
    for (Producer producer : producers) {
      producer.thread.join();
      Throwable t = assertInstanceOf(RejectedExecutionException.class, producer.thrown.get());
      assertEquals(Scheduler.SHUT_DOWN, t.getMessage());
    }
    assertEquals(1, unblock.getCount(), "nobody made room");
    unblock.countDown();
    closer.join();
    ShutdownReport done = report.get();
    assertNotNull(done);
    assertTrue(done.drained(), done::toString);
    assertEquals(List.of("fills"), ran);
    assertEquals(3, mely.inspect().statistics().refused());
  }

  @Test
  void interruptedProducerIsRefused() throws InterruptedException {
    Mely mely = full();
    Producer producer = new Producer(mely);
    await().until(() -> mely.inspect().statistics().blocked() == 1);
    producer.thread.interrupt();
    producer.thread.join();
    Throwable t = assertInstanceOf(RejectedExecutionException.class, producer.thrown.get());
    assertTrue(String.valueOf(t.getMessage()).contains("interrupted"), t.toString());
    assertTrue(producer.stillInterrupted.get(), "the flag is kept");
    assertFalse(producer.event.isPending());
    unblock.countDown();
    mely.close();
    assertEquals(List.of("fills"), ran);
    assertEquals(1, mely.inspect().statistics().refused());
  }

  // ---- Helpers

  /** A runtime with one core, which is blocked, and no room. */
  private Mely full() throws InterruptedException {
    Mely mely =
        Mely.builder()
            .cores(1)
            .pinned(false)
            .maxPending(1)
            .overflow(MelyBuilder.Overflow.BLOCK)
            .build();
    running = mely;
    blockCore(mely, unblock);
    mely.register(mely.newColor(), note, "fills");
    return mely;
  }

  private static void blockCore(Mely mely, CountDownLatch release) throws InterruptedException {
    blockCore(mely, 0, release);
  }

  private static void blockCore(Mely mely, int core, CountDownLatch release)
      throws InterruptedException {
    CountDownLatch started = new CountDownLatch(1);
    Handler<Object> block =
        Handler.of(
            e -> {
              started.countDown();
              release.await();
            });
    mely.register(mely.newPinnedColor(core), block, "event");
    started.await();
  }

  /** Registers one event in a thread of its own. */
  private final class Producer {
    final Numbered event = new Numbered(1);
    final AtomicReference<@Nullable Throwable> thrown = new AtomicReference<>();
    final AtomicBoolean stillInterrupted = new AtomicBoolean();
    final Thread thread;

    Producer(Mely mely) {
      this(mely, mely.newColor());
    }

    Producer(Mely mely, Color color) {
      thread =
          new Thread(
              () -> {
                try {
                  mely.register(color, note, event);
                } catch (Throwable t) {
                  thrown.set(t);
                  stillInterrupted.set(Thread.currentThread().isInterrupted());
                }
              });
      thread.setDaemon(true);
      thread.start();
    }
  }
}
