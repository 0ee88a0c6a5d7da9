package dev.mely.bench.server;

import dev.mely.bench.ResultTable;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Loads a server until it does the same with the same CPU time: a JVM whose compilers share busy
 * CPUs with it takes half a minute and more. It is warm when over three slices of the load the CPU
 * time per answer has stayed within 3 percent, and the compilers have had less than one percent of
 * a CPU. There is a limit; a sample says whether it was reached before.
 */
final class WarmUp {
  /** A sample's figure: how long it took. */
  static final String SECONDS = "warmUpSeconds";

  private static final int SLICES = 3;
  private static final double WITHIN = 1.03;
  private static final double COMPILERS = 0.01;
  private static final long SLICE_NANOS = 2_000_000_000;

  /** The least number of slices, however short the limit is. */
  private static final int LEAST = 2 * SLICES;

  private final Deque<Slice> last = new ArrayDeque<>();

  /** A load that can be had in slices. */
  @FunctionalInterface
  interface Load {
    /**
     * Loads the server for a while.
     *
     * @return how many answers came
     */
    double run(long nanos) throws IOException, InterruptedException;
  }

  /**
   * What a slice has cost.
   *
   * @param cpuPerAnswer CPU time of the server per answer; not a number if none came
   * @param nanos how long it took
   * @param compilers their CPU time; not a number where it is not known
   */
  record Slice(double cpuPerAnswer, long nanos, double compilers) {}

  WarmUp() {}

  /**
   * Loads a server.
   *
   * @param limitNanos ends after that at the latest
   * @param sample where to leave {@link ResultTable#WARM} and {@link #SECONDS}
   */
  static void run(Server server, Load load, long limitNanos, @Nullable Map<String, Double> sample)
      throws IOException, InterruptedException {
    long slice = Math.min(SLICE_NANOS, limitNanos / LEAST);
    WarmUp warmUp = new WarmUp();
    boolean flat = false;
    long start = System.nanoTime();
    long passed = 0;
    while (!flat && passed < limitNanos) {
      flat = warmUp.add(measure(server, load, slice));
      passed = System.nanoTime() - start;
    }
    if (sample != null) {
      sample.put(ResultTable.WARM, flat ? 1.0 : 0.0);
      sample.put(SECONDS, passed / 1e9);
    }
  }

  private static Slice measure(Server server, Load load, long nanos)
      throws IOException, InterruptedException {
    Usage before = server.usage();
    long start = System.nanoTime();
    double answers = load.run(nanos);
    Usage used = server.usage().since(before);
    double cpu = answers > 0 ? used.cpuNanos() / answers : Double.NaN;
    return new Slice(cpu, System.nanoTime() - start, used.jvm().compilers());
  }

  /** Looks at one more slice. Returns whether the server is warm. */
  boolean add(Slice slice) {
    last.addLast(slice);
    if (last.size() > SLICES) {
      last.removeFirst();
    }
    return last.size() == SLICES && isFlat() && !compiles();
  }

  private boolean isFlat() {
    var costs = last.stream().map(Slice::cpuPerAnswer).toList();
    // Not a number is the greatest of all, and compares as nothing: never flat.
    return Collections.max(costs) <= WITHIN * Collections.min(costs);
  }

  /** Where it is not known how busy compilers are, the CPU time has to do. */
  private boolean compiles() {
    double compilers = last.stream().mapToDouble(Slice::compilers).sum();
    double nanos = last.stream().mapToDouble(Slice::nanos).sum();
    return compilers >= COMPILERS * nanos;
  }
}
