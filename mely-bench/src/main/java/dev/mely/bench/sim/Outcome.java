package dev.mely.bench.sim;

import dev.mely.bench.baseline.Figures;
import java.util.LinkedHashMap;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** The figures of a run, by name, in the order of output. */
final class Outcome {
  private static final double PICOS_PER_SECOND = 1e12;

  private Outcome() {}

  /** Collects the figures of a finished run. */
  static Map<String, Double> of(Run run) {
    Simulation simulation = run.simulation();
    Machine machine = simulation.machine();
    Figures figures = simulation.runtime().figures();
    double events = simulation.events();
    double picos = machine.clock().now();
    double total = picos * machine.cores();
    Map<String, Double> outcome = new LinkedHashMap<>();
    outcome.put("events", events);
    outcome.put("rate", events / picos * PICOS_PER_SECOND);
    outcome.put("answerRate", run.answers() / picos * PICOS_PER_SECOND);
    outcome.put("busy", simulation.busyPicos() / total);
    outcome.put("stealsPerEvent", figures.steals() / events);
    outcome.put("triesPerEvent", simulation.runtime().stealsTried() / events);
    outcome.put("wakeUpsPerEvent", figures.wakeups() / events);
    outcome.put("parksPerEvent", figures.parks() / events);
    outcome.put("linesPerEvent", machine.transfers() / events);
    outcome.put("firstCoreLineShare", machine.linePicos(0) / picos);
    outcome.put("missesPerEvent", machine.misses() / events);
    outcome.put("lockShare", machine.lockPicos() / total);
    outcome.put("nanosPerSteal", (double) figures.stealNanos() / figures.steals());
    outcome.put("stolenNanosPerSteal", (double) figures.stolenNanos() / figures.steals());
    Histogram latencies = run.latencies();
    if (latencies != null) {
      outcome.putAll(latencies(latencies));
    }
    return outcome;
  }

  /** Mean and percentiles, in microseconds. */
  static Map<String, Double> latencies(Histogram latencies) {
    Map<String, Double> outcome = new LinkedHashMap<>();
    outcome.put("meanMicros", latencies.getMean() / 1e3);
    outcome.put("p50Micros", latencies.getValueAtPercentile(50) / 1e3);
    outcome.put("p99Micros", latencies.getValueAtPercentile(99) / 1e3);
    outcome.put("p999Micros", latencies.getValueAtPercentile(99.9) / 1e3);
    return outcome;
  }
}
