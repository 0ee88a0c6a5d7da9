package dev.mely.bench.server;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What a process has used so far.
 *
 * @param cpuNanos CPU time
 * @param switches context switches of its threads; 0 where the system does not tell
 * @param steals colors stolen in it
 */
record Usage(long cpuNanos, long switches, long steals) {
  /** Looks at this process. */
  static Usage ofThisProcess(long steals) {
    long cpu =
        ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean bean
            ? bean.getProcessCpuTime()
            : 0;
    return new Usage(cpu, countSwitches(Path.of("/proc/self/task")), steals);
  }

  /** What was used between two looks. */
  Usage since(Usage before) {
    return new Usage(
        cpuNanos - before.cpuNanos, switches - before.switches, steals - before.steals);
  }

  /** One line that {@link #parse} understands. */
  @Override
  public String toString() {
    return cpuNanos + " " + switches + " " + steals;
  }

  /** Reads what {@link #toString} has written. */
  static Usage parse(String line) {
    String[] words = line.strip().split(" ", -1);
    if (words.length != 3) {
      throw new IllegalArgumentException("not a usage: '" + line + "'");
    }
    return new Usage(Long.parseLong(words[0]), Long.parseLong(words[1]), Long.parseLong(words[2]));
  }

  private static long countSwitches(Path tasks) {
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
