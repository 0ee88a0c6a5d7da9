package dev.mely.bench.micro;

import dev.mely.bench.baseline.Configuration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;

/** Converts the counters of one JVM into figures, without those that a contestant does not have. */
final class Samples {
  private static final double THOUSAND = 1e3;
  private static final double SECOND = 1e9;

  private Samples() {}

  /** The figures of one JVM: sums over its iterations, per event, per steal, per second. */
  static Map<String, Double> of(
      Micro micro, Configuration configuration, int cores, RunResult run) {
    Collection<IterationResult> iterations =
        run.getBenchmarkResults().iterator().next().getIterationResults();
    return of(micro, configuration.family(), cores, name -> sum(iterations, name));
  }

  /** As above, for counters from anywhere. */
  static Map<String, Double> of(
      Micro micro,
      Configuration.Family family,
      int cores,
      java.util.function.ToDoubleFunction<String> counters) {
    Map<String, Double> sample = new LinkedHashMap<>();
    if (micro == Micro.IDLE_COLORS) {
      sample.put(
          "bytesPerColor",
          counters.applyAsDouble("idleBytes") / counters.applyAsDouble("idleColors"));
      return sample;
    }
    double events = counters.applyAsDouble("events");
    double nanos = counters.applyAsDouble("nanos");
    double steals = counters.applyAsDouble("steals");
    double perThousand = THOUSAND / events;
    sample.put("rate", events / nanos * SECOND);
    if (family != Configuration.Family.PEER) {
      sample.put("stealsPerThousand", steals * perThousand);
    }
    if (family == Configuration.Family.MELY || family == Configuration.Family.BASELINE) {
      sample.put("stolenNanosPerSteal", counters.applyAsDouble("stolenNanos") / steals);
      sample.put("nanosPerSteal", counters.applyAsDouble("stealNanos") / steals);
      sample.put("parksPerThousand", counters.applyAsDouble("parks") * perThousand);
    }
    if (family == Configuration.Family.MELY) {
      sample.put("takeoversPerThousand", counters.applyAsDouble("takeovers") * perThousand);
      sample.put("wakeupsPerThousand", counters.applyAsDouble("wakeups") * perThousand);
    }
    if (family == Configuration.Family.BASELINE) {
      sample.put("locksPerEvent", counters.applyAsDouble("locks") / events);
      sample.put("lockShare", counters.applyAsDouble("lockNanos") / (nanos * cores));
    }
    sample.put("bytesPerEvent", counters.applyAsDouble("bytes") / events);
    sample.put("othersCpus", Math.max(0, counters.applyAsDouble("othersNanos") / nanos));
    return sample;
  }

  @SuppressWarnings("rawtypes") // JMH's own
  private static double sum(Collection<IterationResult> iterations, String counter) {
    double sum = 0;
    for (IterationResult iteration : iterations) {
      Map<String, Result> counters = iteration.getSecondaryResults();
      Result found = counters.get(counter);
      if (found == null) {
        throw new IllegalStateException("JMH has no counter '" + counter + "': " + counters);
      }
      sum += found.getScore();
    }
    return sum;
  }
}
