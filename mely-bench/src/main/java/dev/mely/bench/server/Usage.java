package dev.mely.bench.server;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A process's use of resources so far.
 *
 * @param cpuNanos CPU time
 * @param switches context switches of its threads; 0 if unknown
 * @param steals its steals
 * @param jvm CPU time of its compilers and GC
 * @param loops CPU time of each of its event loops; may be empty
 * @param memory use since the last reading, or since its start
 */
record Usage(
    long cpuNanos, long switches, Steals steals, JvmCpu jvm, List<Long> loops, Footprint memory) {
  private static final Path TASKS = Path.of("/proc/self/task");

  /** Reads the usage of this process. */
  static Usage ofThisProcess(Steals steals, List<Long> loops, Footprint memory) {
    long cpu =
        ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean bean
            ? bean.getProcessCpuTime()
            : 0;
    return new Usage(cpu, countSwitches(TASKS), steals, JvmCpu.of(TASKS), loops, memory);
  }

  /** The difference to an earlier reading. */
  Usage since(Usage before) {
    List<Long> used = new ArrayList<>();
    for (int i = 0; i < loops.size(); i++) {
      used.add(loops.get(i) - (i < before.loops.size() ? before.loops.get(i) : 0));
    }
    return new Usage(
        cpuNanos - before.cpuNanos,
        switches - before.switches,
        steals.since(before.steals),
        jvm.since(before.jvm),
        used,
        memory);
  }

  /** Counts the context switches of all threads of a process; 0 if unknown. */
  static long countSwitches(Path tasks) {
    long sum = 0;
    try (DirectoryStream<Path> threads = Files.newDirectoryStream(tasks)) {
      for (Path thread : threads) {
        sum += countSwitchesOf(thread.resolve("status"));
      }
    } catch (IOException e) {
      return 0; // not Linux
    }
    return sum;
  }

  private static long countSwitchesOf(Path status) {
    try {
      return Files.readAllLines(status).stream()
          .filter(line -> line.contains("ctxt_switches:"))
          .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(':') + 1).strip()))
          .sum();
    } catch (IOException e) {
      return 0; // the thread has ended
    }
  }
}
