package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.Migrating;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.EventLoop;
import io.netty.channel.IoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.Future;
import java.lang.reflect.Field;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** N6: failure modes 3 to 6: what happens while a color is on its way from core to core. */
@Timeout(300)
class MovingColorFailureModesTest {
  private static void assertEndedOnce(Map<Channel, Queue<String>> lives, int channels) {
    Harness.await()
        .until(
            () ->
                lives.size() == channels
                    && lives.values().stream().allMatch(life -> life.contains("unregistered")));
    lives
        .values()
        .forEach(life -> assertEquals(List.of("inactive", "unregistered"), List.copyOf(life)));
  }

  /** Tasks of 50 µs that post themselves: thieves are busy when the end comes. */
  @ParameterizedTest
  @EnumSource
  void mode03ShutdownFindsColorsBetweenVictimAndThief(Io io) throws Exception {
    AtomicLong moves = new AtomicLong();
    for (int round = 0; round < 4; round++) {
      Map<Channel, Queue<String>> lives = new ConcurrentHashMap<>();
      MelyEventLoopGroup group = io.builder().cores(3).runtime(Migrating.by(round)).build();
      Queue<Future<?>> futures = new ConcurrentLinkedQueue<>();
      AtomicInteger ran = new AtomicInteger();
      int channels = 8;
      try (Harness harness = new Harness(group, () -> new Life(lives))) {
        List<Harness.Client> clients = new ArrayList<>();
        for (int i = 0; i < channels; i++) {
          clients.add(harness.connect());
        }
        for (Harness.Client client : clients) {
          client.send("hello");
          ColorEventLoop loop = Harness.loop(client.peer);
          Runnable task =
              new Runnable() {
                private Thread last;

                @Override
                public void run() {
                  ran.incrementAndGet();
                  if (last != null && last != Thread.currentThread()) {
                    moves.incrementAndGet();
                  }
                  last = Thread.currentThread();
                  long end = System.nanoTime() + 50_000;
                  while (System.nanoTime() < end) {
                    Thread.onSpinWait();
                  }
                  try {
                    futures.add(loop.submit(this));
                  } catch (RejectedExecutionException e) {
                    // The end.
                  }
                }
              };
          futures.add(loop.submit(task));
          futures.add(loop.submit(task));
        }
        Thread.sleep(round);
        group.shutdownGracefully(0, 100, TimeUnit.MILLISECONDS).sync();
        assertEndedOnce(lives, channels);
        int completed = 0;
        for (Future<?> future : futures) {
          assertTrue(future.await(Harness.PATIENCE_SECONDS, TimeUnit.SECONDS));
          completed += future.isSuccess() ? 1 : 0;
        }
        assertEquals(ran.get(), completed, "a task has run if and only if its future says so");
        assertEquals(0, group.groupState().registrations());
        group.cores().threads().forEach(thread -> assertFalse(thread.isAlive()));
      }
    }
    assertTrue(moves.get() > 0, "no color has moved");
  }

  @ParameterizedTest
  @EnumSource
  void mode04ExecuteThatRacesTerminationRunsOrIsRefused(Io io) throws Exception {
    for (int round = 0; round < 10; round++) {
      MelyEventLoopGroup group = io.builder().cores(2).runtime(Migrating.by(round)).build();
      Queue<Future<?>> accepted = new ConcurrentLinkedQueue<>();
      AtomicInteger ran = new AtomicInteger();
      try (Harness harness = new Harness(group, Harness.Echo::new)) {
        List<Thread> producers = new ArrayList<>();
        CountDownLatch started = new CountDownLatch(2);
        for (int p = 0; p < 2; p++) {
          EventLoop loop = harness.connect().peer.eventLoop();
          Thread producer =
              new Thread(
                  () -> {
                    started.countDown();
                    try {
                      while (true) {
                        accepted.add(loop.submit(ran::incrementAndGet));
                        if (accepted.size() % 100 == 0) {
                          accepted.add(
                              loop.schedule(ran::incrementAndGet, 1, TimeUnit.MILLISECONDS));
                        }
                      }
                    } catch (RejectedExecutionException e) {
                      // The end.
                    }
                  });
          producers.add(producer);
          producer.start();
        }
        started.await();
        group.shutdownGracefully(0, 0, TimeUnit.SECONDS).sync();
        for (Thread producer : producers) {
          producer.join();
        }
      }
      int completed = 0;
      for (Future<?> future : accepted) {
        assertTrue(future.await(Harness.PATIENCE_SECONDS, TimeUnit.SECONDS), "it completes");
        completed += future.isSuccess() ? 1 : 0;
      }
      assertEquals(ran.get(), completed);
    }
  }

  /** Both ends close at once, from outside, while the color has work and moves. */
  @ParameterizedTest
  @EnumSource
  void mode05AChannelClosedWhileItsColorMovesEndsOnce(Io io) throws Exception {
    Map<Channel, Queue<String>> lives = new ConcurrentHashMap<>();
    MelyEventLoopGroup group = io.builder().cores(3).runtime(Migrating.by(9)).build();
    try (Harness harness = new Harness(group, () -> new Life(lives))) {
      for (int i = 0; i < 100; i++) {
        Harness.Client client = harness.connect();
        client.send("busy");
        EventLoop loop = client.peer.eventLoop();
        List<ChannelFuture> closes = new ArrayList<>();
        for (int k = 0; k < 3; k++) {
          loop.execute(() -> {});
          closes.add(client.peer.close());
        }
        client.channel.close();
        for (ChannelFuture close : closes) {
          assertTrue(close.sync().isSuccess());
        }
        assertFalse(client.peer.isOpen());
      }
      assertEndedOnce(lives, 100);
      assertNothingLeft(group, 1);
    }
  }

  /** A selector refuses a blocking channel; epoll's is closed before it comes to that. */
  @ParameterizedTest
  @EnumSource
  void mode05ARegistrationThatFailsLeavesNoKey(Io io) throws Exception {
    MelyEventLoopGroup group = io.builder().cores(3).runtime(Migrating.by(10)).build();
    try (Harness harness = new Harness(group, Harness.Echo::new)) {
      List<ChannelFuture> registrations = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        Channel channel;
        if (io == Io.NIO) {
          SocketChannel blocking = SocketChannel.open();
          channel = new NioSocketChannel(blocking);
          blocking.configureBlocking(true);
        } else {
          channel = new EpollSocketChannel();
          channel.unsafe().closeForcibly();
        }
        registrations.add(group.register(channel));
      }
      Harness.Client client = harness.connect();
      client.send("fine");
      assertEquals("fine", client.await(4));
      for (ChannelFuture registration : registrations) {
        assertFalse(registration.await().isSuccess());
        assertFalse(registration.channel().isOpen());
        assertFalse(registration.channel().isRegistered());
      }
      assertNothingLeft(group, 2);
    }
  }

  /** This number of registrations is left, and as many keys. */
  private static void assertNothingLeft(MelyEventLoopGroup group, int expected) {
    Harness.await()
        .untilAsserted(
            () -> {
              assertEquals(expected, group.groupState().registrations());
              int keys = 0;
              for (int core = 0; core < group.cores().size(); core++) {
                keys += keys(group.cores().poller(core).io());
              }
              assertEquals(expected, keys);
            });
  }

  /** What the handler itself holds. */
  private static int keys(IoHandler io) throws ReflectiveOperationException {
    if (io.getClass().getSimpleName().startsWith("Nio")) {
      Field selector = io.getClass().getDeclaredField("unwrappedSelector");
      selector.setAccessible(true);
      return (int)
          ((Selector) selector.get(io)).keys().stream().filter(key -> key.isValid()).count();
    }
    Field registrations = io.getClass().getDeclaredField("registrations");
    registrations.setAccessible(true);
    return ((Map<?, ?>) registrations.get(io)).size();
  }

  /**
   * Cores wait in their selectors. A task wakes one core up; its color is drawn to another core,
   * which waits too, or is about to. If a wake-up were lost, the answer would not come.
   */
  @ParameterizedTest
  @EnumSource
  void mode06NoWakeUpIsLostBetweenSelectAndSteal(Io io) throws Exception {
    MelyEventLoopGroup group = io.builder().cores(3).runtime(Migrating.by(12)).build();
    try (Harness harness = new Harness(group, Harness.Echo::new)) {
      Harness.Client one = harness.connect();
      Harness.Client two = harness.connect();
      EventLoop first = one.peer.eventLoop();
      EventLoop second = two.peer.eventLoop();
      for (int i = 0; i < 2_000; i++) {
        Future<Future<Integer>> chain = first.submit(() -> second.submit(() -> 1));
        if (i % 50 == 0) {
          one.send("x");
          two.send("y");
          assertEquals("x", one.await(1));
          assertEquals("y", two.await(1));
        }
        assertEquals(1, chain.get(120, TimeUnit.SECONDS).get(120, TimeUnit.SECONDS));
        for (int spin = 0; spin < (i & 1023); spin++) {
          Thread.onSpinWait(); // another phase of the workers' way into the selector each time
        }
      }
    }
  }

  @AfterAll
  static void noBufferIsLost() throws InterruptedException {
    LeakCounter.assertNoLeaks();
  }
}
