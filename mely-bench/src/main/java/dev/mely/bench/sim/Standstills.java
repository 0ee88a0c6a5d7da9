package dev.mely.bench.sim;

import dev.mely.bench.Work;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Measures interruptions of a CPU of this machine, from which {@link Interruptions} draws: a busy
 * thread reads the clock repeatedly, and detects gaps. They vary from minute to minute.
 *
 * <p>Not thread-safe.
 */
final class Standstills {
  /** A longer time between two readings of the clock is an interruption. */
  private static final long INTERRUPTED_NANOS = 2_000;

  /** Work between two readings of the clock, in nanoseconds. */
  private static final long STEP_NANOS = 4_000;

  private final List<Double> lengths = new ArrayList<>();
  private double watched;

  /**
   * Works, see {@link Work#spin}, and reads the clock repeatedly.
   *
   * @param nanos the duration without interruptions
   */
  long work(int iterations, double nanos, long before) {
    long result = before;
    double each = nanos / iterations;
    int stride = (int) Math.max(1, STEP_NANOS / each);
    long last = System.nanoTime();
    for (int left = iterations; left > 0; left -= stride) {
      int step = Math.min(left, stride);
      result = Work.spin(step, result);
      long now = System.nanoTime();
      took((double) (now - last), step * each);
      last = now;
    }
    return result;
  }

  /** Records a step's duration, and its usual one. */
  void took(double nanos, double usual) {
    watched += nanos;
    if (nanos - usual > INTERRUPTED_NANOS) {
      lengths.add(nanos - usual);
    }
  }

  /** Adds the interruptions of another one. */
  void add(Standstills other) {
    lengths.addAll(other.lengths);
    watched += other.watched;
  }

  /** Interruptions per second. */
  double perSecond() {
    return watched == 0 ? 0 : lengths.size() / watched * 1e9;
  }

  /** Mean time from the end of one interruption to the next, nanoseconds; 0 if there were none. */
  double between() {
    double lost = lengths.stream().mapToDouble(d -> d).sum();
    return lengths.isEmpty() ? 0 : (watched - lost) / lengths.size();
  }

  /** Costs with these interruptions; with every single one, since the few longest make the tail. */
  Costs in(Costs costs) {
    return costs.with(Map.of("betweenInterruptions", between(), "interruptions", lengths));
  }
}
