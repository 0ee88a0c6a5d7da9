package dev.mely;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.Mely.Timer;
import dev.mely.report.ShutdownReport;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Everything at once, for each policy and more workers than CPUs. {@code -Dmely.stress=50} does so
 * with 50 times as many events.
 */
@Timeout(600)
class StressTest {
  private static final int PRODUCERS = 3;
  private static final int EVENTS = 15_000 * Integer.getInteger("mely.stress", 1);
  private static final int COLORS = 24;
  private static final int PINNED = 3;

  static Stream<Arguments> configurations() {
    return Stream.of(1, 2, 3, 8)
        .flatMap(
            workers ->
                StealPolicyTest.VALID.stream()
                    .flatMap(
                        policy ->
                            Stream.of(
                                Arguments.of(workers, policy, false),
                                Arguments.of(workers, policy, true))));
  }

  /**
   * Order, exclusion, visibility, and none lost or run twice (A1, A2, B10), while colors are
   * stolen, moved and pinned, timers fire and are cancelled, and handlers throw, errors included.
   */
  @ParameterizedTest
  @MethodSource("configurations")
  void everyColorIsSerialAndInOrder(int workers, StealPolicy policy, boolean migrating)
      throws InterruptedException {
    new Storm(workers, policy, migrating).run();
  }

  /** Never both, never neither, however close the race. */
  @Test
  void everyTimerRunsOrIsCancelled() throws InterruptedException {
    int each = 20_000;
    AtomicInteger ran = new AtomicInteger();
    AtomicInteger cancelled = new AtomicInteger();
    Handler<Integer> tick = Handler.of(e -> ran.incrementAndGet());
    Mely mely = Mely.builder().cores(2).pinned(false).build();
    Threads threads = new Threads();
    for (int p = 0; p < 2; p++) {
      SplittableRandom random = new SplittableRandom(p);
      threads.add(
          () -> {
            Timer[] young = new Timer[64];
            for (int i = 0; i < each; i++) {
              int place = random.nextInt(young.length);
              if (young[place] != null && young[place].cancel()) {
                cancelled.incrementAndGet();
              }
              Duration delay = Duration.ofNanos(random.nextInt(100_000));
              young[place] = mely.schedule(mely.color(random.nextInt(9)), tick, i, delay);
            }
          });
    }
    threads.run();
    await().until(() -> ran.get() + cancelled.get() >= 2 * each);
    assertEquals(new ShutdownReport(true, 0, 0, List.of()), mely.shutdown(Duration.ofSeconds(60)));
    assertEquals(2 * each, ran.get() + cancelled.get());
    assertTrue(ran.get() > 0 && cancelled.get() > 0);
  }

  /** Short-lived colors, one per connection, leave nothing behind (B9, B11). */
  @Test
  void aMillionColorsComeAndGo() {
    int colors = 1_000_000;
    AtomicInteger ran = new AtomicInteger();
    Handler<Integer> handler = Handler.of(e -> ran.incrementAndGet());
    List<WeakReference<Color>> samples = new ArrayList<>();
    try (Mely mely = Mely.builder().cores(2).pinned(false).build()) {
      Integer event = 7;
      for (int i = 0; i < colors; i++) {
        Color color = mely.newColor();
        mely.register(color, handler, event);
        if (i % 1_000 == 0) {
          samples.add(new WeakReference<>(color));
        }
      }
      await().until(() -> ran.get() == colors);
      // Thieves' queues are bounded and may still name a few.
      await()
          .until(
              () -> {
                System.gc();
                return samples.stream().filter(s -> s.get() != null).count() < samples.size() / 20;
              });
    }
    assertEquals(colors, ran.get());
  }

  /** One runtime under load, in one configuration. */
  private static final class Storm {
    private final String name;
    private final Mely mely;
    private final ConcurrentLinkedQueue<Throwable> errors = new ConcurrentLinkedQueue<>();
    private final Target[] targets = new Target[COLORS];
    private final AtomicLong accepted = new AtomicLong();
    private final AtomicLong planted = new AtomicLong();
    private final AtomicLong thrown = new AtomicLong();
    private final Quick quick = new Quick();
    private final Slow slow = new Slow();
    private final List<Timer> timers = new ArrayList<>();
    private final ConcurrentLinkedQueue<Timer> started = new ConcurrentLinkedQueue<>();

    Storm(int workers, StealPolicy policy, boolean migrating) {
      name = workers + " workers, " + policy + (migrating ? ", migrating" : "");
      MelyBuilder builder =
          Mely.builder()
              .cores(workers)
              .policy(policy)
              .pinned(false)
              .batch(4)
              .stuckAfter(Duration.ofMillis(1))
              .errorHandler((color, event, error) -> failed(error));
      if (migrating) {
        builder.randomMigration(workers).order(MelyBuilder.Order.CHEAPEST_FIRST).stealOldest(true);
      }
      mely = builder.build();
      for (int i = 0; i < COLORS; i++) {
        targets[i] = new Target(i);
      }
    }

    private void failed(Throwable error) {
      if (error instanceof Planted) {
        thrown.incrementAndGet();
      } else {
        errors.add(error);
      }
    }

    void run() throws InterruptedException {
      Threads producers = new Threads();
      for (int p = 0; p < PRODUCERS; p++) {
        int source = p;
        producers.add(() -> produce(source, new SplittableRandom(source)));
      }
      producers.start();
      for (Target target : targets) {
        timers.add(
            mely.scheduleWithFixedDelay(
                target.color, target, name, Duration.ofNanos(1), Duration.ofNanos(200_000)));
      }
      producers.join();
      timers.forEach(Timer::cancel);
      await().atMost(Duration.ofMinutes(5)).until(() -> started.stream().allMatch(Timer::isDone));
      ShutdownReport report = mely.shutdown(Duration.ofSeconds(60));
      assertEquals(List.of(), List.copyOf(errors), name);
      assertEquals(new ShutdownReport(true, 0, 0, List.of()), report, name);
      long ran = 0;
      for (Target target : targets) {
        ran += target.check.count();
        assertEquals(0, target.strayed, name + ": a pinned color has left its core");
        assertTrue(target.color.toString().contains("idle"), target.color::toString);
      }
      assertEquals(accepted.get(), ran, name);
      assertEquals(planted.get(), thrown.get(), name);
      assertTrue(planted.get() > 0, name);
      assertTrue(ran >= PRODUCERS * EVENTS, name);
    }

    private void produce(int source, SplittableRandom random) {
      int[] sent = new int[COLORS];
      Timer last = null;
      for (int i = 0; i < EVENTS; i++) {
        // Some colors are hot.
        int to = random.nextBoolean() ? random.nextInt(4) : random.nextInt(COLORS);
        send(source, sent, to, random.nextInt(4), random);
        if (random.nextInt(100) == 0) {
          Thread.yield();
        }
        if (random.nextInt(50) == 0) {
          targets[random.nextInt(COLORS)].color.moveTo(random.nextInt(mely.inspect().cores()));
        }
        if (random.nextInt(50) == 0) {
          last = startTimer(targets[random.nextInt(COLORS)], last, random);
        }
      }
    }

    /**
     * Starts a one-shot timer, and now and then cancels the last one: it runs, or it is cancelled.
     *
     * @return the new one
     */
    private Timer startTimer(Target target, @Nullable Timer last, SplittableRandom random) {
      if (last != null && random.nextBoolean() && last.cancel()) {
        accepted.decrementAndGet();
      }
      accepted.incrementAndGet();
      Duration delay = Duration.ofNanos(random.nextInt(100_000));
      Timer timer = mely.schedule(target.color, target.once, name, delay);
      started.add(timer);
      return timer;
    }

    private void send(int source, int[] sent, int to, int hops, SplittableRandom random) {
      AtomicInteger registered = targets[to].registered;
      Item item = new Item(source, sent[to]++, to, hops, registered.get());
      accepted.incrementAndGet();
      Handler<Item> handler = random.nextInt(8) == 0 ? slow : quick;
      if (random.nextInt(16) == 0) {
        mely.registerUrgent(targets[to].color, handler, item); // ahead of other colors alone
      } else {
        mely.register(targets[to].color, handler, item);
      }
      registered.incrementAndGet();
    }

    /** What happens in every event. */
    private void handle(Item item) {
      Target target = targets[item.to];
      target.check.enter(item.source, item.number);
      if (target.items++ < item.before) {
        throw new AssertionError(name + ": it has overtaken one that was registered before");
      }
      if (!target.color.isCurrent()) {
        throw new AssertionError(name + ": not inside " + target.color);
      }
      if (target.pinned && mely.inspect().currentCore() != target.home) {
        target.strayed++;
      }
      if (target.random.nextInt(32) == 0) {
        Thread.yield();
      }
      if (item.hops > 0) {
        // This color is a source too; its events are serial, so that the order is defined.
        int to = target.random.nextInt(3) == 0 ? item.to : target.random.nextInt(COLORS);
        send(PRODUCERS + item.to, target.sent, to, item.hops - 1, target.random);
      }
      target.check.leave();
      if (target.random.nextInt(64) == 0) {
        planted.incrementAndGet();
        throw new Planted();
      }
    }

    /** A color and what its events touch, without any synchronization. */
    private final class Target extends Handler<String> {
      final int home;
      final boolean pinned;
      final Color color;
      final SerialCheck check = new SerialCheck(PRODUCERS + COLORS + 1);
      final SplittableRandom random;
      final int[] sent = new int[COLORS];

      /** Items whose registration is over, and items that have run. */
      final AtomicInteger registered = new AtomicInteger();

      int items;
      final Handler<String> once = Handler.of(e -> alone());
      int ticks;
      int strayed;

      Target(int number) {
        home = number % mely.inspect().cores();
        pinned = number >= COLORS - PINNED;
        color = pinned ? mely.newPinnedColor(home) : mely.newColor(home);
        random = new SplittableRandom(number);
      }

      /** A tick of the color's timer. */
      @Override
      public void handle(String tick) {
        accepted.incrementAndGet();
        alone();
      }

      /** What no other event sends: only exclusion and visibility are at stake. */
      private void alone() {
        check.enter(PRODUCERS + COLORS, ticks++);
        check.leave();
      }
    }

    /** Events that nobody wants to steal. */
    private final class Quick extends Handler<Item> {
      @Override
      public void handle(Item item) {
        Storm.this.handle(item);
      }
    }

    /** Events that thieves like. */
    private final class Slow extends Handler<Item> {
      Slow() {
        super(Work.MEASURED.cost(Duration.ofNanos(30_000)).penalty(2));
      }

      @Override
      public void handle(Item item) {
        Storm.this.handle(item);
      }
    }
  }

  /** What a handler throws on purpose. */
  private static final class Planted extends Error {
    private static final long serialVersionUID = 1;

    Planted() {
      super("planted", null, false, false);
    }
  }

  /** An event: number n of a source to a color. */
  private static final class Item extends Event {
    final int source;
    final int number;
    final int to;
    final int hops;

    /** At least so many items of its color were registered before, by anybody. */
    final int before;

    Item(int source, int number, int to, int hops, int before) {
      this.source = source;
      this.number = number;
      this.to = to;
      this.hops = hops;
      this.before = before;
    }
  }
}
