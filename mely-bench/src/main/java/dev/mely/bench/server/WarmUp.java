package dev.mely.bench.server;

import dev.mely.bench.ResultTable;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Loads a server until its CPU time per answer is stable: if the compilers share busy CPUs with the
 * load, that takes half a minute or more. The server is warm when the CPU time per answer has
 * stayed within 3 percent over three slices of the load, and the compilers have used less than one
 * percent of a CPU. There is a time limit; a sample says whether the server was warm before it.
 */
final class WarmUp {
  /** A sample's figure: duration of the warm-up. */
  static final String SECONDS = "warmUpSeconds";

  private static final int SLICES = 3;
  private static final double WITHIN = 1.03;
  private static final double COMPILERS = 0.01;
  private static final long SLICE_NANOS = 2_000_000_000;

  /** The minimum number of slices, for any limit. */
  private static final int LEAST = 2 * SLICES;

  private final Deque<Slice> last = new ArrayDeque<>();

  /** A load in slices. */
  @FunctionalInterface
  interface Load {
    /**
     * Loads the server for a time.
     *
     * @return number of answers
     */
    double run(long nanos) throws IOException, InterruptedException;
  }

  /**
   * The cost of a slice.
   *
   * @param cpuPerAnswer CPU time of the server per answer; NaN without answers
   * @param nanos duration
   * @param compilers CPU time of the compilers; NaN if unknown
   */
  record Slice(double cpuPerAnswer, long nanos, double compilers) {}

  WarmUp() {}

  /**
   * Loads a server.
   *
   * @param limitNanos time limit
   * @param sample gets {@link ResultTable#WARM} and {@link #SECONDS}
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

  /** Adds a slice. Returns whether the server is warm. */
  boolean add(Slice slice) {
    last.addLast(slice);
    if (last.size() > SLICES) {
      last.removeFirst();
    }
    return last.size() == SLICES && isFlat() && !compiles();
  }

  private boolean isFlat() {
    var costs = last.stream().map(Slice::cpuPerAnswer).toList();
    // max returns a NaN, and comparisons with it are false: not warm.
    return Collections.max(costs) <= WITHIN * Collections.min(costs);
  }

  /** Whether the compilers are busy; false if unknown, so that only the CPU time decides. */
  private boolean compiles() {
    double compilers = last.stream().mapToDouble(Slice::compilers).sum();
    double nanos = last.stream().mapToDouble(Slice::nanos).sum();
    return compilers >= COMPILERS * nanos;
  }
}
