package dev.mely.bench.sim;

import dev.mely.bench.Compiling;
import dev.mely.bench.Work;
import dev.mely.topology.AllowedCpus;
import dev.mely.topology.Pinning;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * When a CPU of this machine stands still: a thread looks at the clock again and again, and sees
 * what was taken from it. What {@link Interruptions} draws from. Differs from one minute to the
 * next: so either a thread of its own looks, which does nothing else, or who works looks meanwhile.
 *
 * <p>Not for several threads.
 */
final class Standstills {
  /** What takes longer between two looks at the clock is no part of a loop that does nothing. */
  private static final long INTERRUPTED_NANOS = 2_000;

  /** Who works looks at the clock after so long, in nanoseconds. */
  private static final long STEP_NANOS = 4_000;

  /** How long a look takes, in nanoseconds. */
  private static final long LOOK_NANOS = 500_000_000;

  private final List<Double> lengths = new ArrayList<>();
  private double watched;

  /**
   * Looks for a while at the first CPU, where a single worker runs. Keeps its own thread, which is
   * to be on the last CPU, busy, as senders are.
   */
  Standstills look() throws Exception {
    lengths.addAll(Compiling.done(Standstills::seen));
    watched += LOOK_NANOS;
    return this;
  }

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

  private static List<Double> seen() throws InterruptedException {
    List<Double> seen = new ArrayList<>();
    AtomicBoolean over = new AtomicBoolean();
    Thread watcher =
        new Thread(
            () -> {
              AllowedCpus allowed = AllowedCpus.system();
              Pinning.advised(allowed, 1).pin(allowed.cpus()[0]);
              long start = System.nanoTime();
              long last = start;
              while (last - start < LOOK_NANOS) {
                long now = System.nanoTime();
                if (now - last > INTERRUPTED_NANOS) {
                  seen.add((double) (now - last));
                }
                last = now;
              }
              over.set(true);
            },
            "watcher");
    watcher.start();
    while (!over.get()) {
      Thread.onSpinWait();
    }
    watcher.join();
    return seen;
  }

  /** From the end of one interruption to the next, on average, nanoseconds; 0: there were none. */
  double between() {
    double lost = lengths.stream().mapToDouble(d -> d).sum();
    return lengths.isEmpty() ? 0 : (watched - lost) / lengths.size();
  }

  /** How long they lasted, nanoseconds, each as likely: a few figures, for a file. */
  List<Double> lengths() {
    return Calibration.shares(lengths);
  }

  /** The same costs, but for what was seen here: every single one, the few longest make a tail. */
  Costs in(Costs costs) {
    return costs.with(Map.of("betweenInterruptions", between(), "interruptions", lengths));
  }
}
