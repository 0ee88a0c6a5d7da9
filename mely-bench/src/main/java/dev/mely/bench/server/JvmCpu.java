package dev.mely.bench.server;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * CPU time of a JVM's compiler and GC threads, in nanoseconds; from {@code /proc} by the threads'
 * names, with a resolution of 10 ms.
 *
 * @param c1 of C1
 * @param c2 of C2
 * @param collector of the GC threads; without the serial collector, which uses the VM thread
 */
record JvmCpu(long c1, long c2, long collector) {
  /** Without {@code /proc}, and for processes that are not a JVM. */
  static final JvmCpu UNKNOWN = new JvmCpu(-1, -1, -1);

  private static final long TICK_NANOS = 10_000_000;

  /** Index of the user time among the words after the name; the system time follows, proc(5). */
  private static final int USER = 11;

  private static final int KERNEL = 12;

  private static final String C1 = "C1 Compiler";
  private static final String C2 = "C2 Compiler";

  /** Name prefixes of G1 and Parallel, ZGC, Shenandoah. */
  private static final List<String> COLLECTORS =
      List.of("GC Thread", "G1 ", "ZDriver", "ZDirector", "ZWorker", "ZUnmapper", "Shenandoah");

  /**
   * Reads the times of a process's threads.
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

  /** The name is in parentheses, and may contain parentheses. */
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

  /** Sum of both compilers; NaN if unknown. */
  double compilers() {
    return isKnown() ? (double) c1 + c2 : Double.NaN;
  }

  /** The difference to an earlier reading. */
  JvmCpu since(JvmCpu before) {
    return isKnown() && before.isKnown()
        ? new JvmCpu(c1 - before.c1, c2 - before.c2, collector - before.collector)
        : UNKNOWN;
  }

  /**
   * Adds the use in percent of a CPU to a sample; nothing if unknown.
   *
   * @param nanos duration
   */
  void addTo(Map<String, Double> sample, long nanos) {
    if (isKnown()) {
      sample.put("c1Percent", 100.0 * c1 / nanos);
      sample.put("c2Percent", 100.0 * c2 / nanos);
      sample.put("gcPercent", 100.0 * collector / nanos);
    }
  }
}
