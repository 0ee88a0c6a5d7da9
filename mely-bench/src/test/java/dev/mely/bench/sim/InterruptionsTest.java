package dev.mely.bench.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Cores that are taken away, and wake-ups that take now longer, now less long. */
class InterruptionsTest {
  private static final long WORK = 100 * Machine.NANO;

  private static Costs costs(double between, List<Double> lengths, List<Double> wakeDelays) {
    return Costs.free()
        .with(
            Map.of(
                "betweenInterruptions",
                between,
                "interruptions",
                lengths,
                "wakeDelays",
                wakeDelays));
  }

  /** The duration of a number of pieces of work, one after the other, in picoseconds. */
  private static long time(Costs costs, long seed, int pieces) {
    Interruptions interruptions = new Interruptions(costs, 2, seed);
    Clock clock = new Clock(1);
    for (int i = 0; i < pieces; i++) {
      interruptions.begin(1, clock);
      clock.spend(WORK);
      interruptions.end(1, clock);
    }
    return clock.now();
  }

  @Test
  void withoutThemNothingIsLate() {
    assertEquals(1_000 * WORK, time(Costs.free(), 1, 1_000));
    assertEquals(1_000 * WORK, time(costs(0, List.of(5.0), List.of()), 1, 1_000));
    assertEquals(1_000 * WORK, time(costs(5, List.of(), List.of()), 1, 1_000));
  }

  /** A core that is taken away for as long as it is left alone needs twice the time. */
  @Test
  void theirShareOfTheTimeIsLost() {
    long time = time(costs(1_000, List.of(500.0, 1_500.0), List.of()), 1, 100_000);
    assertEquals(2.0, time / (100_000.0 * WORK), 0.05);
  }

  @Test
  void whoeverBeginsMeanwhileBeginsAfterwards() {
    Interruptions interruptions = new Interruptions(costs(1, List.of(1e6), List.of()), 1, 1);
    Clock clock = new Clock(1);
    clock.spend(500_000 * Machine.NANO);
    interruptions.begin(0, clock);
    assertTrue(clock.now() >= 1_000_000 * Machine.NANO, "began at " + clock.now());
  }

  @Test
  void whoSleepsLosesNothing() {
    Interruptions interruptions = new Interruptions(costs(1e3, List.of(1e6), List.of()), 1, 1);
    Clock clock = new Clock(1);
    clock.spend(500_000 * Machine.NANO); // in the middle of the first, most likely
    interruptions.wake(0, clock.now());
    interruptions.begin(0, clock);
    assertEquals(500_000 * Machine.NANO, clock.now());
    clock.spend(5_000_000 * Machine.NANO);
    interruptions.begin(0, clock);
    assertTrue(clock.now() > 5_500_000 * Machine.NANO, "but who is awake does");
  }

  @Test
  void theSeedDecides() {
    Costs costs = costs(1_000, List.of(10.0, 900.0), List.of());
    assertEquals(time(costs, 1, 1_000), time(costs, 1, 1_000));
    assertNotEquals(time(costs, 1, 1_000), time(costs, 2, 1_000));
  }

  /** Nothing else costs anything: half of the requests find their core asleep. */
  @Test
  void aWakeUpTakesAsLongAsOneOfThose() {
    assertTrue(mean(List.of(40_000.0)) > mean(List.of(0.0)) + 15);
    double mixed = mean(List.of(0.0, 40_000.0));
    assertTrue(mixed > mean(List.of(0.0)) + 5 && mixed < mean(List.of(40_000.0)) - 5);
  }

  private static double mean(List<Double> wakeDelays) {
    Machine machine = Machines.make(Machines.PAPER, 1, costs(0, List.of(), wakeDelays));
    Program program = Programs.make("exp-even", new Programs.Load(0.5, 0, 1));
    Run run = Runtimes.begin("mely", machine, program, 1);
    run.runUntil(20_000);
    return Objects.requireNonNull(Outcome.of(run).get("meanMicros"));
  }

  /** A few figures stand for many, and have the same mean. */
  @Test
  void sharesKeepTheMean() {
    List<Double> many = new ArrayList<>();
    IntStream.range(0, 50_000).forEach(i -> many.add((double) (i * 7_919L % 50_000)));
    List<Double> shares = Calibration.shares(many);
    assertEquals(500, shares.size());
    assertEquals(24_999.5, shares.stream().mapToDouble(d -> d).average().orElseThrow(), 1);
    assertTrue(shares.get(499) > 49_900 && shares.get(0) < 100, shares::toString);
    assertEquals(List.of(1.0, 2.0, 9.0), Calibration.shares(List.of(9.0, 1.0, 2.0)));
  }
}
