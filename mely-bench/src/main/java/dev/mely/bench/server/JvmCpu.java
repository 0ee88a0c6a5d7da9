package dev.mely.bench.server;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * CPU time of the threads by which a JVM looks after itself, in nanoseconds; read from {@code
 * /proc} by the threads' names, in steps of a hundredth of a second.
 *
 * @param c1 of the quick compiler
 * @param c2 of the optimizing one
 * @param collector of the garbage collector's threads; a collector that has none of its own, as the
 *     serial one, works in the thread of the VM and is not seen
 */
record JvmCpu(long c1, long c2, long collector) {
  /** Where there is no {@code /proc}, and of processes that are no JVM. */
  static final JvmCpu UNKNOWN = new JvmCpu(-1, -1, -1);

  private static final long TICK_NANOS = 10_000_000;

  /** Of the words behind the name: times in user mode and in the kernel, proc(5). */
  private static final int USER = 11;

  private static final int KERNEL = 12;

  private static final String C1 = "C1 Compiler";
  private static final String C2 = "C2 Compiler";

  /** G1 and Parallel, ZGC, Shenandoah. */
  private static final List<String> COLLECTORS =
      List.of("GC Thread", "G1 ", "ZDriver", "ZDirector", "ZWorker", "ZUnmapper", "Shenandoah");

  /**
   * Looks at the threads of a process.
   *
   * @param tasks its directory of threads, {@code /proc/self/task}
   */
  static JvmCpu of(Path tasks) {
    long c1 = 0;
    long c2 = 0;
    long collector = 0;
    boolean compiles = false;
    try (DirectoryStream<Path> threads = Files.newDirectoryStream(tasks)) {
      for (Path thread : threads) {
        String stat = read(thread.resolve("stat"));
        String name = name(stat);
        if (name.startsWith(C1)) {
          compiles = true;
          c1 += nanos(stat);
        } else if (name.startsWith(C2)) {
          compiles = true;
          c2 += nanos(stat);
        } else if (COLLECTORS.stream().anyMatch(name::startsWith)) {
          collector += nanos(stat);
        }
      }
    } catch (IOException e) {
      return UNKNOWN; // not Linux
    }
    return compiles ? new JvmCpu(c1, c2, collector) : UNKNOWN;
  }

  private static String read(Path stat) {
    try {
      return Files.readString(stat);
    } catch (IOException e) {
      return ""; // the thread has ended
    }
  }

  /** The name is in parentheses, and may have some itself. */
  private static String name(String stat) {
    int end = stat.lastIndexOf(')');
    return end < 0 ? "" : stat.substring(stat.indexOf('(') + 1, end);
  }

  private static long nanos(String stat) {
    String[] words = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
    return (Long.parseLong(words[USER]) + Long.parseLong(words[KERNEL])) * TICK_NANOS;
  }

  boolean isKnown() {
    return c1 >= 0;
  }

  /** Both compilers together; not a number where that is not known. */
  double compilers() {
    return isKnown() ? (double) c1 + c2 : Double.NaN;
  }

  /** What was used between two looks. */
  JvmCpu since(JvmCpu before) {
    return isKnown() && before.isKnown()
        ? new JvmCpu(c1 - before.c1, c2 - before.c2, collector - before.collector)
        : UNKNOWN;
  }

  /**
   * Adds what each used, in percent of a CPU, to a sample; nothing where it is not known.
   *
   * @param nanos in which time
   */
  void addTo(Map<String, Double> sample, long nanos) {
    if (isKnown()) {
      sample.put("c1Percent", 100.0 * c1 / nanos);
      sample.put("c2Percent", 100.0 * c2 / nanos);
      sample.put("gcPercent", 100.0 * collector / nanos);
    }
  }
}
