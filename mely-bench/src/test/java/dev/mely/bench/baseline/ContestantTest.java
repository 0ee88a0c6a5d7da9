package dev.mely.bench.baseline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Every contestant plays by the rules, and those that break them are found out. */
@Timeout(300)
class ContestantTest {
  private static final int CORES = 3;

  static Stream<Configuration> available() {
    return Arrays.stream(Configuration.values()).filter(c -> c.unavailability() == null);
  }

  static Stream<Configuration> thieves() {
    Set<Configuration> off =
        Set.of(Configuration.LIBASYNC, Configuration.SPINLOCK, Configuration.MELY);
    return available()
        .filter(
            c ->
                c.family() == Configuration.Family.BASELINE
                    || c.family() == Configuration.Family.MELY)
        .filter(c -> !off.contains(c));
  }

  @ParameterizedTest
  @MethodSource("available")
  void keepsTheRules(Configuration configuration) throws InterruptedException {
    try (Contestant<?> contestant = configuration.start(CORES, false)) {
      assertEquals(CORES, contestant.cores());
      assertNull(new Rules<>(contestant).firstBroken());
    }
  }

  @ParameterizedTest
  @MethodSource("available")
  void worksOnOneCore(Configuration configuration) throws InterruptedException {
    try (Contestant<?> contestant = configuration.start(1, false)) {
      assertNull(new Rules<>(contestant).firstBroken());
    }
  }

  @ParameterizedTest
  @MethodSource("thieves")
  void keepsTheRulesWhileColorsAreStolen(Configuration configuration) throws InterruptedException {
    try (Contestant<?> contestant = configuration.start(CORES, false)) {
      do {
        assertNull(new Rules<>(contestant).firstBroken());
      } while (contestant.figures().steals() == 0);
      assertTrue(contestant.figures().stealNanos() > 0);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"LIBASYNC", "SPINLOCK", "MELY"})
  void doesNotStealUnlessItMay(Configuration configuration) throws InterruptedException {
    try (Contestant<?> contestant = configuration.start(CORES, false)) {
      assertNull(new Rules<>(contestant).firstBroken());
      assertEquals(0, contestant.figures().steals());
    }
  }

  @ParameterizedTest
  @MethodSource("available")
  void countsWhatHasRun(Configuration configuration) throws InterruptedException {
    try (Contestant<?> contestant = configuration.start(2, false)) {
      count(contestant, 500);
      assertEquals(500, contestant.counted());
      count(contestant, 1);
      assertEquals(501, contestant.counted());
      assertTrue(contestant.figures().bytes() >= 0);
    }
  }

  private static <C> void count(Contestant<C> contestant, int jobs) throws InterruptedException {
    CountDownLatch ran = new CountDownLatch(jobs);
    for (int i = 0; i < jobs; i++) {
      contestant.register(
          contestant.newColor(i % contestant.cores()),
          new Job(contestant.kind(Duration.ofNanos(100), 1)) {
            @Override
            public void run() {
              contestant.worker().count();
              ran.countDown();
            }
          });
    }
    ran.await();
  }

  @ParameterizedTest
  @EnumSource
  void isFoundByItsName(Configuration configuration) {
    assertEquals(configuration, Configuration.parse(configuration.label()));
    assertTrue(Configuration.labels().contains(configuration.label()));
  }

  // ---- Planted faults

  /** Colors mean nothing to it. */
  @Test
  void findsJobsOutOfTurn() throws InterruptedException {
    try (Mutant mutant = new Mutant(Integer.MAX_VALUE)) {
      String broken = null;
      for (int i = 0; i < 50 && broken == null; i++) {
        broken = new Rules<>(mutant).firstBroken();
      }
      assertNotNull(broken);
    }
  }

  /** In order, since on one thread, but one job comes twice. */
  @Test
  void findsAJobThatRunsTwice() throws InterruptedException {
    try (Mutant mutant = new Mutant(1_000)) {
      assertNotNull(new Rules<>(mutant).firstBroken());
    }
  }

  private static final class Mutant implements Contestant<Integer> {
    private final ExecutorService pool;
    private final AtomicInteger registered = new AtomicInteger();
    private final int twice;

    Mutant(int twice) {
      this.pool = Executors.newFixedThreadPool(twice == Integer.MAX_VALUE ? 2 : 1);
      this.twice = twice;
    }

    @Override
    public int cores() {
      return 2;
    }

    @Override
    public Integer newColor(int core) {
      return core;
    }

    @Override
    public Integer newPinnedColor(int core) {
      return core;
    }

    @Override
    public void register(Integer color, Job job) {
      pool.execute(job);
      if (registered.incrementAndGet() == twice) {
        pool.execute(job);
      }
    }

    @Override
    public Worker worker() {
      throw new UnsupportedOperationException();
    }

    @Override
    public long counted() {
      return 0;
    }

    @Override
    public Figures figures() {
      return Figures.ofBytes(0);
    }

    @Override
    public void close() {
      pool.shutdownNow();
    }
  }
}
