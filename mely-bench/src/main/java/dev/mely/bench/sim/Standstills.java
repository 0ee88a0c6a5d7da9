package dev.mely.bench.sim;

import dev.mely.bench.Work;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * When a CPU of this machine stands still: who works looks at the clock again and again, and sees
 * what was taken from it. What {@link Interruptions} draws from. It differs from one minute to the
 * next.
 *
 * <p>Not for several threads.
 */
final class Standstills {
  /** What takes longer between two looks at the clock is no part of a loop that does nothing. */
  private static final long INTERRUPTED_NANOS = 2_000;

  /** Who works looks at the clock after so long, in nanoseconds. */
  private static final long STEP_NANOS = 4_000;

  private final List<Double> lengths = new ArrayList<>();
  private double watched;

  /**
   * Works, see {@link Work#spin}, and looks at the clock now and then.
   *
   * @param nanos how long it takes if nothing comes between
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

  /** What was to take so long took so long. */
  void took(double nanos, double usual) {
    watched += nanos;
    if (nanos - usual > INTERRUPTED_NANOS) {
      lengths.add(nanos - usual);
    }
  }

  /** Takes over what another one has seen. */
  void add(Standstills other) {
    lengths.addAll(other.lengths);
    watched += other.watched;
  }

  /** How many interruptions there were in a second. */
  double perSecond() {
    return watched == 0 ? 0 : lengths.size() / watched * 1e9;
  }

  /** From the end of one interruption to the next, on average, nanoseconds; 0: there were none. */
  double between() {
    double lost = lengths.stream().mapToDouble(d -> d).sum();
    return lengths.isEmpty() ? 0 : (watched - lost) / lengths.size();
  }

  /** The same costs, but for what was seen here: every single one, the few longest make a tail. */
  Costs in(Costs costs) {
    return costs.with(Map.of("betweenInterruptions", between(), "interruptions", lengths));
  }
}
