package dev.mely;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.Mely.Timer;
import dev.mely.report.ShutdownReport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** No event is lost in races with a shutdown: accepted = run + rejected. */
@Timeout(300)
class ShutdownRaceTest {
  private final Runtimes runtimes = new Runtimes();

  @AfterEach
  void noThreadIsLeft() throws InterruptedException {
    runtimes.end();
  }

  /**
   * Found by the driver, seeds 22,961,157 and 28,504,792: a color whose event is not linked yet
   * comes back to the queue each time, ahead of all that cost more.
   */
  @Test
  void aColorThatComesBackKeepsNoOtherFromBeingRejected() {
    SettingsBuilder settings = new SettingsBuilder();
    settings.order = MelyBuilder.Order.CHEAPEST_FIRST;
    StillMely still = new StillMely(settings);
    List<String> rejected = new ArrayList<>();
    Handler<String> slow =
        new Handler<>(Work.MEASURED.cost(Duration.ofMillis(1)).penalty(1)) {
          @Override
          public void handle(String event) {
            throw new AssertionError(event);
          }

          @Override
          protected void rejected(String event) {
            rejected.add(event);
          }
        };
    Color open = still.mely.newColor(0);
    still.mely.register(
        open, Handler.of(event -> {}).cost(Duration.ofNanos(1)).penalty(1), "linked");
    Event late = new Envelope("late");
    late.attach(slow);
    Object previous = open.swap(late);
    still.mely.register(still.mely.newColor(0), slow, "other");
    still.scheduler.setPhase(Scheduler.CLOSED);
    still.scheduler.sweep();
    assertEquals(List.of("other"), rejected);
    open.link(previous, late);
    still.scheduler.rejectIfClosed(open);
    assertEquals(List.of("other", "late"), rejected);
  }

  /** Producers, handlers and timers that race the end, in many rounds. */
  @Test
  void everyAcceptedEventIsRunOrRejected() throws InterruptedException {
    for (int round = 0; round < 400; round++) {
      SplittableRandom random = new SplittableRandom(round);
      StealPolicy policy = StealPolicyTest.VALID.get(random.nextInt(9));
      Mely mely =
          runtimes
              .builder(1 + random.nextInt(3))
              .policy(policy)
              .spins(random.nextInt(2) * 50)
              .build();
      Race race = new Race(mely, random.split());
      Threads producers = new Threads();
      for (int p = 0; p < 3; p++) {
        SplittableRandom mine = random.split();
        producers.add(() -> race.produce(mine));
      }
      producers.start();
      while (race.accepted.get() < random.nextInt(2_000)) {
        Thread.onSpinWait();
      }
      ShutdownReport report = mely.shutdown(Duration.ofNanos(random.nextInt(3) * 1_000_000));
      producers.join();
      String where = "round " + round + ", " + policy + ", " + report;
      if (!report.stuckCores().isEmpty()) { // a core that got no CPU for a second leaves later
        await(where).until(mely.inspect()::isTerminated);
      }
      assertTrue(mely.inspect().isTerminated(), where);
      assertEquals(race.accepted.get(), race.ran.get() + race.rejected.get(), where);
      assertTrue(report.eventsLeft() <= race.rejected.get() + race.ticks.rejected.size(), where);
      for (Color color : race.colors) {
        assertTrue(color.toString().contains("idle"), () -> where + ": " + color);
      }
      assertTrue(race.timers.stream().allMatch(Timer::isDone), where + ": a timer is still on");
    }
  }

  /** Counts what goes in and what comes out. */
  private static final class Race extends Handler<Object> {
    final Mely mely;
    final Color[] colors = new Color[8];
    final AtomicLong accepted = new AtomicLong();
    final AtomicLong ran = new AtomicLong();
    final AtomicLong rejected = new AtomicLong();
    final ConcurrentLinkedQueue<Timer> timers = new ConcurrentLinkedQueue<>();
    final Tally ticks = new Tally();

    Race(Mely mely, SplittableRandom random) {
      this.mely = mely;
      for (int i = 0; i < colors.length; i++) {
        int core = random.nextInt(mely.inspect().cores());
        colors[i] = random.nextInt(8) == 0 ? mely.newPinnedColor(core) : mely.newColor(core);
      }
    }

    void produce(SplittableRandom random) {
      try {
        while (true) {
          int color = random.nextInt(colors.length);
          register(color, random.nextInt(3));
          if (random.nextInt(32) == 0) {
            Duration delay = Duration.ofNanos(random.nextInt(200_000));
            timers.add(mely.schedule(colors[color], ticks, 0, delay));
          }
          if (random.nextInt(64) == 0) {
            Thread.yield();
          }
        }
      } catch (RejectedExecutionException e) {
        // The end.
      }
    }

    private void register(int color, int hops) {
      mely.register(colors[color], this, hops % 2 == 0 ? hops : new Numbered(hops));
      accepted.incrementAndGet();
    }

    @Override
    public void handle(Object event) {
      ran.incrementAndGet();
      int hops = event instanceof Numbered own ? own.number : (int) event;
      if (hops > 0) {
        try {
          register((hops * 5 + colors.length / 2) % colors.length, hops - 1);
        } catch (RejectedExecutionException e) {
          // The end.
        }
      }
    }

    @Override
    protected void rejected(Object event) {
      rejected.incrementAndGet();
    }
  }
}
