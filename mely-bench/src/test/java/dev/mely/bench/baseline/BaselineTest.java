package dev.mely.bench.baseline;

import static java.util.stream.Collectors.joining;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.StealPolicy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the papers say of their queues and thieves holds for the baselines. */
@Timeout(300)
class BaselineTest {
  private static final Duration SHORT = Duration.ofNanos(50);
  private static final Duration LONG = Duration.ofSeconds(1);

  private final ConcurrentLinkedQueue<String> ran = new ConcurrentLinkedQueue<>();

  private Job job(Contestant<?> contestant, String name, Duration cost) {
    return job(contestant, name, cost, 1);
  }

  private Job job(Contestant<?> contestant, String name, Duration cost, int penalty) {
    return new Job(contestant.kind(cost, penalty)) {
      @Override
      public void run() {
        ran.add(name);
      }
    };
  }

  /** Keeps a core busy until it is let go. */
  private static final class Plug extends Job {
    private final CountDownLatch began = new CountDownLatch(1);
    private final Semaphore end = new Semaphore(0);

    Plug(Contestant<?> contestant) {
      super(contestant.kind(SHORT, 1));
    }

    @Override
    public void run() {
      began.countDown();
      end.acquireUninterruptibly();
    }

    static <C> Plug into(Contestant<C> contestant, C color) throws InterruptedException {
      Plug plug = new Plug(contestant);
      contestant.register(color, plug);
      plug.began.await();
      return plug;
    }
  }

  private String order(Plug plug, int jobs) {
    plug.end.release();
    await().atMost(120, TimeUnit.SECONDS).until(() -> ran.size() == jobs);
    return ran.stream().collect(joining(" "));
  }

  // ---- libasync-smp

  @Test
  void prefersTheColorThatItHasJustRun() throws InterruptedException {
    try (Libasync libasync = new Libasync(false, 1, false)) {
      LibasyncColor a = libasync.newColor(0);
      Plug plug = Plug.into(libasync, a);
      List<LibasyncColor> others = Stream.generate(() -> libasync.newColor(0)).limit(6).toList();
      for (int i = 0; i < 4; i++) {
        libasync.register(others.get(i), job(libasync, "b" + i, SHORT));
      }
      libasync.register(a, job(libasync, "a1", SHORT)); // the fifth
      libasync.register(a, job(libasync, "a2", SHORT)); // the fifth, when a1 is gone
      assertEquals("a1 a2 b0 b1 b2 b3", order(plug, 6));
    }
  }

  @Test
  void doesNotLetAColorStarveTheOthers() throws InterruptedException {
    try (Libasync libasync = new Libasync(false, 1, false)) {
      LibasyncColor a = libasync.newColor(0);
      Plug plug = Plug.into(libasync, a);
      libasync.register(libasync.newColor(0), job(libasync, "b", SHORT));
      for (int i = 0; i < 11; i++) {
        libasync.register(a, job(libasync, "a", SHORT));
      }
      assertEquals("a a a a a a a a a b a a", order(plug, 12)); // the plug was the first of ten
    }
  }

  @Test
  void looksNoFurtherThanAtTheFirstFive() throws InterruptedException {
    try (Libasync libasync = new Libasync(false, 1, false)) {
      LibasyncColor a = libasync.newColor(0);
      Plug plug = Plug.into(libasync, a);
      for (int i = 0; i < 5; i++) {
        libasync.register(libasync.newColor(0), job(libasync, "b" + i, SHORT));
      }
      libasync.register(a, job(libasync, "a", SHORT));
      assertEquals("b0 b1 b2 b3 b4 a", order(plug, 6));
    }
  }

  @Test
  void runsCpucbAheadOfAllIo() throws InterruptedException {
    try (Libasync libasync = new Libasync(false, 1, false)) {
      Plug plug = Plug.into(libasync, libasync.newColor(0));
      LibasyncColor color = libasync.newColor(0);
      libasync.register(libasync.newColor(0), job(libasync, "io1", SHORT));
      libasync.cpucb(color, job(libasync, "cpu1", SHORT));
      libasync.cpucb(libasync.newColor(0), job(libasync, "cpu2", SHORT));
      libasync.register(libasync.newColor(0), job(libasync, "io2", SHORT));
      assertEquals("cpu1 cpu2 io1 io2", order(plug, 4));
    }
  }

  @Test
  void movesCongruentColorsTogether() {
    try (Libasync libasync = new Libasync(false, 3, false)) {
      LibasyncColor one = libasync.color(5);
      LibasyncColor other = libasync.color(5 + 1024);
      assertEquals(5 % 3, one.slot.core.index);
      libasync.moveTo(one, 0);
      assertEquals(0, other.slot.core.index);
    }
  }

  @Test
  void startsColorsWhereTheyAreWanted() {
    try (Libasync libasync = new Libasync(false, 3, false)) {
      for (int i = 0; i < 3_000; i++) {
        LibasyncColor color = libasync.newColor(i % 3);
        assertEquals(i % 3, color.slot.core.index);
        assertFalse(color.slot.pinned);
      }
      assertTrue(libasync.newPinnedColor(2).slot.pinned);
      assertEquals(2, libasync.newPinnedColor(2).slot.core.index);
    }
  }

  @Test
  void stealsAllOfTheFirstColorWithLessThanHalf() throws InterruptedException {
    try (Libasync libasync = new Libasync(true, 2, false)) {
      LibasyncColor running = libasync.newColor(0);
      LibasyncColor big = libasync.newColor(0);
      LibasyncColor small = libasync.newColor(0);
      Plug thief = Plug.into(libasync, libasync.newPinnedColor(1));
      Plug victim = Plug.into(libasync, running);
      libasync.register(running, job(libasync, "r", SHORT));
      for (int i = 0; i < 4; i++) {
        libasync.register(big, job(libasync, "big", SHORT));
      }
      libasync.register(small, job(libasync, "s1", SHORT));
      libasync.register(small, job(libasync, "s2", SHORT));
      // Seven events: four are too many, and what is running stays. When two are gone, so is the
      // case for any other: of five, four are still too many, and one more is running.
      assertEquals("s1 s2", order(thief, 2));
      assertEquals(1, libasync.figures().steals());
      assertEquals("s1 s2 r big big big big", order(victim, 7));
    }
  }

  // ---- Mely with spinlocks

  @Test
  void batchesTenEventsOfAColor() throws InterruptedException {
    try (SpinlockMely mely = new SpinlockMely(StealPolicy.OFF, 1, false)) {
      Plug plug = Plug.into(mely, mely.newColor(0));
      ColorQueue a = mely.newColor(0);
      for (int i = 0; i < 12; i++) {
        mely.register(a, job(mely, "a", SHORT));
      }
      mely.register(mely.newColor(0), job(mely, "b", SHORT));
      assertEquals("a a a a a a a a a a b a a", order(plug, 13));
    }
  }

  @Test
  void baseStealsTheFirstColorWithLessThanHalf() throws InterruptedException {
    try (SpinlockMely mely = new SpinlockMely(StealPolicy.BASE, 2, false)) {
      Plug thief = Plug.into(mely, mely.newPinnedColor(1));
      Plug victim = Plug.into(mely, mely.newColor(0));
      ColorQueue big = mely.newColor(0);
      ColorQueue small = mely.newColor(0);
      for (int i = 0; i < 3; i++) {
        mely.register(big, job(mely, "big", SHORT));
      }
      mely.register(small, job(mely, "s1", SHORT));
      mely.register(small, job(mely, "s2", SHORT));
      assertEquals("s1 s2", order(thief, 2));
      assertEquals("s1 s2 big big big", order(victim, 5));
    }
  }

  @Test
  void timeLeftStealsWorthyColorsOnly() throws InterruptedException {
    try (SpinlockMely mely = new SpinlockMely(StealPolicy.TIME_LEFT, 2, false)) {
      Plug thief = Plug.into(mely, mely.newPinnedColor(1));
      Plug victim = Plug.into(mely, mely.newColor(0));
      for (int i = 0; i < 5; i++) {
        mely.register(mely.newColor(0), job(mely, "short", SHORT));
      }
      mely.register(mely.newColor(0), job(mely, "long", LONG));
      assertEquals("long", order(thief, 1));
      assertEquals("long short short short short short", order(victim, 6));
      assertEquals(1, mely.figures().steals());
    }
  }

  @Test
  void penaltyMakesAColorLessAttractive() throws InterruptedException {
    StealPolicy policy = StealPolicy.parse("time-left+penalty");
    try (SpinlockMely mely = new SpinlockMely(policy, 2, false)) {
      Plug thief = Plug.into(mely, mely.newPinnedColor(1));
      Plug victim = Plug.into(mely, mely.newColor(0));
      Duration cost = Duration.ofNanos(50_000); // unworthy when divided by a thousand
      mely.register(mely.newColor(0), job(mely, "penalized", cost, 1_000));
      mely.register(mely.newColor(0), job(mely, "free", cost));
      assertEquals("free", order(thief, 1));
      assertEquals("free penalized", order(victim, 2));
    }
  }

  @Test
  void aColorIsNoLongerWorthyWhenItsWorkIsDone() throws InterruptedException {
    try (SpinlockMely mely = new SpinlockMely(StealPolicy.TIME_LEFT, 1, false)) {
      Plug plug = Plug.into(mely, mely.newColor(0));
      ColorQueue color = mely.newColor(0);
      mely.register(color, job(mely, "long", LONG));
      assertEquals(2, color.interval);
      assertEquals(1, color.core.worthyCount.get());
      order(plug, 1);
      assertEquals(ColorQueue.UNWORTHY, color.interval);
      assertEquals(0, color.core.worthyCount.get());
      assertEquals(0, color.timeLeft);
    }
  }

  @Test
  void countsLocks() throws InterruptedException {
    SpinLock lock = new SpinLock();
    lock.lock();
    Thread other =
        new Thread(
            () -> {
              lock.lock();
              lock.unlock();
            });
    other.start();
    await().atMost(120, TimeUnit.SECONDS).until(() -> other.getState() == Thread.State.RUNNABLE);
    Thread.sleep(2);
    lock.unlock();
    other.join();
    assertEquals(2, lock.taken());
    assertTrue(lock.waitedNanos() > 0);
  }
}
