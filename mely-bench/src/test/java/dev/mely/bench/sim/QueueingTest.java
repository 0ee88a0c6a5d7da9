package dev.mely.bench.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.bench.sim.OpenLoop.Plan;
import dev.mely.bench.sim.OpenLoop.Service;
import dev.mely.bench.sim.OpenLoop.Spread;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Where queueing theory has a formula, the simulator comes to the same. */
class QueueingTest {
  private static final double WITHIN = 0.02;
  private static final long COUNT = 1_000_000;
  private static final long SEED = 20;

  /** The chance that a request of M/M/n has to wait (Erlang's C). */
  private static double waits(int n, double load) {
    double offered = n * load;
    double term = 1;
    double sum = 0;
    for (int k = 0; k < n; k++) {
      sum += term;
      term *= offered / (k + 1);
    }
    double busy = term / (1 - load);
    return busy / (sum + busy);
  }

  private static double mean(int n, double load) {
    return 1 + waits(n, load) / (n * (1 - load));
  }

  /** The share of requests that take longer than t mean services. */
  private static double longer(int n, double load, double t) {
    double c = waits(n, load);
    double rest = n * (1 - load); // the rate at which a wait ends
    if (Math.abs(rest - 1) < 1e-9) {
      return Math.exp(-t) * (1 + c * t);
    }
    // A wait of rate "rest" with chance c, then a service of rate 1.
    return (1 - c) * Math.exp(-t) + c * (rest * Math.exp(-t) - Math.exp(-rest * t)) / (rest - 1);
  }

  private static double p99(int n, double load) {
    double low = 0;
    double high = 1_000;
    for (int i = 0; i < 100; i++) {
      double middle = (low + high) / 2;
      if (longer(n, load, middle) > 0.01) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return low;
  }

  private static void assertIsMMn(int n, double load, Histogram latencies) {
    double expectedMean = mean(n, load) * OpenLoop.MEAN_NANOS;
    double expectedP99 = p99(n, load) * OpenLoop.MEAN_NANOS;
    assertEquals(expectedMean, latencies.getMean(), WITHIN * expectedMean, "mean");
    assertEquals(expectedP99, latencies.getValueAtPercentile(99), WITHIN * expectedP99, "p99");
  }

  /** The formulas themselves: M/M/1 is known by heart. */
  @Test
  void theFormulasKnowTheSingleServer() {
    assertEquals(0.7, waits(1, 0.7), 1e-12);
    assertEquals(1 / 0.3, mean(1, 0.7), 1e-9);
    assertEquals(Math.log(100) / 0.3, p99(1, 0.7), 1e-6);
  }

  @ParameterizedTest
  @CsvSource({"1, 0.5", "1, 0.7", "2, 0.7", "4, 0.8", "16, 0.8", "64, 0.9"})
  void theBoundOfFirstComeFirstServed(int n, double load) {
    Plan plan = new Plan(Service.EXPONENTIAL, Spread.EVEN, load, SEED);
    assertIsMMn(n, load, Bounds.fcfs(plan.requests(n), n, COUNT));
  }

  /** One core takes the oldest request of all colors, and those of a color in order. */
  @Test
  void onOneCoreColorsMakeNoDifference() {
    Plan plan = new Plan(Service.EXPONENTIAL, Spread.EVEN, 0.9, SEED);
    assertEquals(
        Bounds.fcfs(plan.requests(1), 1, 100_000),
        Bounds.colorSerial(plan.requests(1), 1, 100_000));
  }

  /** A core that serves its own colors alone is M/M/1, however many there are. */
  @Test
  void theStaticPartition() {
    Plan plan = new Plan(Service.EXPONENTIAL, Spread.EVEN, 0.7, SEED);
    assertIsMMn(1, 0.7, Bounds.staticPartition(plan.requests(4), 4, COUNT));
  }

  /** With more colors than are ever busy, that no color runs twice at a time costs nothing. */
  @Test
  void colorSerialIsTheSameWhereColorsSeldomMeet() {
    Plan plan = new Plan(Service.EXPONENTIAL, Spread.EVEN, 0.5, SEED);
    assertIsMMn(2, 0.5, Bounds.colorSerial(plan.requests(2), 2, COUNT));
  }

  /** And where requests that take long meet others of their color, it costs something. */
  @Test
  void colorSerialCostsWhereColorsMeet() {
    Plan plan = new Plan(Service.HEAVY, Spread.EVEN, 0.8, SEED);
    double serial = Bounds.colorSerial(plan.requests(16), 16, 200_000).getMean();
    double fcfs = Bounds.fcfs(plan.requests(16), 16, 200_000).getMean();
    assertTrue(serial > 1.005 * fcfs, serial + " against " + fcfs);
  }

  /** The runtime itself on one core, where nothing costs anything: M/M/1. */
  @Test
  void theRuntimeOnOneCore() {
    assertIsMMn(1, 0.5, latencies("mely", 1, 0.5, 300_000));
  }

  /** And with stealing off, on several: as many M/M/1 as there are cores. */
  @Test
  void theRuntimeWithoutStealing() {
    assertIsMMn(1, 0.5, latencies("mely", 4, 0.5, 300_000));
  }

  /** The baseline, under the same clock. */
  @Test
  void libasyncOnOneCore() {
    assertIsMMn(1, 0.5, latencies("libasync", 1, 0.5, 300_000));
  }

  /** No runtime of colored events beats the bound on average, and stealing comes near to it. */
  @Test
  void stealingLiesBetweenTheBounds() {
    int n = 4;
    Plan plan = new Plan(Service.EXPONENTIAL, Spread.EVEN, 0.7, SEED);
    double best = Bounds.fcfs(plan.requests(n), n, 100_000).getMean();
    double worst = Bounds.staticPartition(plan.requests(n), n, 100_000).getMean();
    double stealing = latencies("mely-all", n, 0.7, 100_000).getMean();
    assertTrue(stealing >= (1 - WITHIN) * best, stealing + " beats " + best);
    assertTrue(stealing <= best + (worst - best) / 2, best + ", " + stealing + ", " + worst);
  }

  /** An idle core makes its looks in vain all at once, but sees what comes to it in between. */
  @Test
  void whoSearchesSeesWhatComes() {
    Plan plan = new Plan(Service.EXPONENTIAL, Spread.EVEN, 0.05, SEED);
    Costs looks = Costs.free().with(Map.of("look", 1_000.0));
    for (String configuration : List.of("mely-base-ws", "mely-all")) {
      Run run = Runtimes.begin(configuration, Machines.make("one-cache", 16, looks), plan, SEED);
      run.runUntil(20_000);
      double mean = Objects.requireNonNull(run.latencies()).getMean();
      assertTrue(mean < 1.2 * OpenLoop.MEAN_NANOS, configuration + ": " + mean);
    }
  }

  private static Histogram latencies(String configuration, int n, double load, long count) {
    Plan plan = new Plan(Service.EXPONENTIAL, Spread.EVEN, load, SEED);
    Machine machine = Machines.make("one-cache", n, Costs.free());
    Run run = Runtimes.begin(configuration, machine, plan, SEED);
    run.runUntil(count);
    return Objects.requireNonNull(run.latencies());
  }
}
