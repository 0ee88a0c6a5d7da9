package dev.mely.bench.micro;

import java.util.Collection;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;

/**
 * What one JVM measured.
 *
 * @param rate events per second
 * @param others CPUs that other processes used meanwhile
 * @param figures what happened besides
 */
record Sample(double rate, double others, Figures figures) {
  /** Adds up the iterations of one JVM. */
  static Sample of(Collection<IterationResult> iterations) {
    return new Sample(
        iterations.stream()
            .mapToDouble(i -> i.getPrimaryResult().getScore())
            .average()
            .orElseThrow(),
        (double) sum(iterations, "othersNanos") / sum(iterations, "nanos"),
        new Figures(
            sum(iterations, "events"),
            sum(iterations, "steals"),
            sum(iterations, "stolenNanos"),
            sum(iterations, "stealNanos"),
            sum(iterations, "takeovers"),
            sum(iterations, "parks"),
            sum(iterations, "wakeups"),
            sum(iterations, "bytes")));
  }

  @SuppressWarnings("rawtypes") // JMH's own
  private static long sum(Collection<IterationResult> iterations, String counter) {
    double sum = 0;
    for (IterationResult iteration : iterations) {
      Map<String, Result> counters = iteration.getSecondaryResults();
      Result found = counters.get(counter);
      if (found == null) {
        throw new IllegalStateException("JMH has no counter '" + counter + "': " + counters);
      }
      sum += found.getScore();
    }
    return Math.round(sum);
  }

  /** A figure per something else; not a number if there was none of it. */
  double per(ToDoubleFunction<Figures> figure, ToDoubleFunction<Figures> what) {
    return figure.applyAsDouble(figures) / what.applyAsDouble(figures);
  }
}
