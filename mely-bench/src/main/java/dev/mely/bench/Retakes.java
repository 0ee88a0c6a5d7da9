package dev.mely.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import picocli.CommandLine.Option;

/**
 * Takes a sample again if other processes were busy meanwhile. Which sample is kept depends on the
 * other processes, never on the result.
 */
public final class Retakes {
  private static final int MAX_TAKES = 20;
  private static final int MAX_WAIT_SECONDS = 60;

  @Option(
      names = "--others",
      paramLabel = "<cpus>",
      description =
          "take a sample again, up to 20 times, if other processes used more CPUs than this, for"
              + " example 0.1 (default: keep every sample)")
  private double limit = Double.POSITIVE_INFINITY;

  private final int maxWaitSeconds;

  /** Before each sample, waits up to a minute until other processes are idle. */
  public Retakes() {
    this(MAX_WAIT_SECONDS);
  }

  Retakes(int maxWaitSeconds) {
    this.maxWaitSeconds = maxWaitSeconds;
  }

  /**
   * Takes a sample.
   *
   * @param sampler takes one sample
   * @param others how many CPUs other processes used during a sample
   * @return the first sample within the limit, else the least disturbed one
   */
  public <T> T take(Callable<T> sampler, ToDoubleFunction<T> others) throws Exception {
    awaitQuiet();
    T best = sampler.call();
    for (int i = 1; i < MAX_TAKES && others.applyAsDouble(best) > limit; i++) {
      awaitQuiet();
      T next = sampler.call();
      if (others.applyAsDouble(next) < others.applyAsDouble(best)) {
        best = next;
      }
    }
    return best;
  }

  /**
   * Takes samples interleaved: one of each configuration, and then all again.
   *
   * @param task name of the run in the progress bar
   * @param contenders by name; each takes a sample, whose figure {@link ResultTable#OTHERS} has the
   *     CPU time of other processes, in CPUs
   * @return per configuration its samples, in order
   */
  public Map<String, List<Map<String, Double>>> inTurn(
      String task, int rounds, Map<String, Callable<Map<String, Double>>> contenders)
      throws Exception {
    Map<String, List<Map<String, Double>>> taken = new LinkedHashMap<>();
    try (Progress progress = new Progress(task, rounds * contenders.size())) {
      for (int i = 0; i < rounds; i++) {
        for (var contender : contenders.entrySet()) {
          progress.begin(contender.getKey());
          Map<String, Double> sample =
              take(contender.getValue(), s -> s.getOrDefault(ResultTable.OTHERS, 0.0));
          taken.computeIfAbsent(contender.getKey(), x -> new ArrayList<>()).add(sample);
          progress.end();
        }
      }
    }
    return taken;
  }

  private void awaitQuiet() throws InterruptedException {
    if (limit == Double.POSITIVE_INFINITY) {
      return;
    }
    for (int i = 0; i < maxWaitSeconds; i++) {
      OtherProcesses others = OtherProcesses.start();
      TimeUnit.SECONDS.sleep(1);
      if (others.nanos(0) <= limit * TimeUnit.SECONDS.toNanos(1)) {
        return;
      }
    }
  }
}
