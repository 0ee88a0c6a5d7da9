package dev.mely.bench.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import java.util.Objects;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

/** Figures are what their names say. */
class OutcomeTest {
  @Test
  void percentilesAreThoseOfTheirNames() {
    Histogram latencies = new Histogram(3);
    for (int micros = 1; micros <= 1_000; micros++) {
      latencies.recordValue(micros * 1_000L);
    }
    Map<String, Double> outcome = Outcome.latencies(latencies);
    assertEquals(500.5, figure(outcome, "meanMicros"), 1);
    assertEquals(500, figure(outcome, "p50Micros"), 1);
    assertEquals(990, figure(outcome, "p99Micros"), 1);
    assertEquals(999, figure(outcome, "p999Micros"), 1);
  }

  /** Where nothing costs anything, four cores under half load work half of their time. */
  @Test
  void ratesAndSharesAreThoseOfTheLoad() {
    OpenLoop.Plan plan =
        new OpenLoop.Plan(OpenLoop.Service.EXPONENTIAL, OpenLoop.Spread.EVEN, 0.5, 1);
    Run run = Runtimes.begin("mely-all", Machines.make("one-cache", 4, Costs.free()), plan, 1);
    run.runUntil(40_000);
    Map<String, Double> outcome = Outcome.of(run);
    assertEquals(40_000, figure(outcome, "events"));
    assertEquals(0.5, figure(outcome, "busy"), 0.01);
    assertEquals(0.5 * 4 / 50e-6, figure(outcome, "rate"), 800);
    assertEquals(0, figure(outcome, "lockShare"));
    assertEquals(0, figure(outcome, "firstCoreLineShare"));
  }

  /** 98 in 100 events take 100 cycles, the others 10,000 to 50,000: 698 in the mean. */
  @Test
  void unbalancedHasThePapersMixOfEvents() {
    Program program = Programs.make("unbalanced", new Programs.Load(0, 0, 1));
    Run run = Runtimes.begin("mely", Machines.make("one-cache", 1, Costs.free()), program, 1);
    run.runUntil(200_000);
    double mean = 1e9 / figure(Outcome.of(run), "rate");
    assertEquals(Rounds.nanos(0.98 * 100 + 0.02 * 30_000), mean, 12);
  }

  /** Each service has the mean that the load is reckoned with, and its own spread. */
  @Test
  void servicesHaveTheSameMean() {
    for (OpenLoop.Service service : OpenLoop.Service.values()) {
      OpenLoop.Requests requests =
          new OpenLoop.Plan(service, OpenLoop.Spread.EVEN, 0.5, 1).requests(1);
      double sum = 0;
      double squares = 0;
      int count = 1_000_000;
      for (int i = 0; i < count; i++) {
        requests.draw();
        double means = requests.service() / (OpenLoop.MEAN_NANOS * Machine.NANO);
        sum += means;
        squares += Math.min(means, 100) * Math.min(means, 100);
      }
      assertEquals(1, sum / count, 0.02, service.label());
      double square =
          switch (service) {
            case EXPONENTIAL -> 2;
            // Of a Pareto of exponent a from m up, cut at c: a m^2 (1 - (m/c)^(a-2)) / (a-2), and
            // the rest at c.
            case HEAVY -> heavySquare(2.2, 1.2 / 2.2, 100);
          };
      assertEquals(square, squares / count, 0.03 * square, service.label());
    }
  }

  private static double heavySquare(double a, double m, double c) {
    double tail = Math.pow(m / c, a - 2);
    return a * m * m * (1 - tail) / (a - 2) + c * c * Math.pow(m / c, a);
  }

  @Test
  void colorsAreAllAlike() {
    OpenLoop.Requests requests =
        new OpenLoop.Plan(OpenLoop.Service.EXPONENTIAL, OpenLoop.Spread.EVEN, 0.5, 1).requests(1);
    int[] counts = new int[requests.colors()];
    for (int i = 0; i < 500_000; i++) {
      requests.draw();
      counts[requests.color()]++;
    }
    double each = 500_000.0 / counts.length;
    for (int count : counts) {
      assertEquals(each, count, 0.1 * each);
    }
  }

  @Test
  void colorsBeginWhereTheirSpreadSays() {
    for (OpenLoop.Spread spread : OpenLoop.Spread.values()) {
      OpenLoop.Requests requests =
          new OpenLoop.Plan(OpenLoop.Service.EXPONENTIAL, spread, 0.5, 1).requests(4);
      for (int i = 0; i < requests.colors(); i++) {
        int home = spread == OpenLoop.Spread.ONE_CORE ? 0 : i % 4;
        assertEquals(home, requests.home(i), spread.label());
      }
    }
  }

  private static double figure(Map<String, Double> outcome, String name) {
    return Objects.requireNonNull(outcome.get(name), name);
  }
}
