package dev.mely.bench;

import com.sun.management.OperatingSystemMXBean;
import java.io.BufferedReader;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Measures the CPU time of other processes during a measurement: that of all CPUs minus that of the
 * measured processes. From {@code /proc/stat}, with a resolution of 10 ms; zero without that file.
 */
public final class OtherProcesses {
  private static final Path STAT = Path.of("/proc/stat");
  private static final long TICK_NANOS = 10_000_000;

  /** Columns of the first line after its name: user, nice, system, idle, iowait, irq, ... */
  private static final int IDLE = 3;

  private static final int WAITING = 4;
  private static final int COLUMNS = 8;

  private final long machine = machineNanos();
  private final long process = processNanos();

  private OtherProcesses() {}

  /**
   * Starts a measurement.
   *
   * @return the measurement
   */
  public static OtherProcesses start() {
    return new OtherProcesses();
  }

  /**
   * Returns what other processes have used since the start.
   *
   * @param children CPU time of further measured processes, in nanoseconds
   * @return CPU time of all processes except this one and those, in nanoseconds
   */
  public long nanos(long children) {
    return machineNanos() - machine - (processNanos() - process) - children;
  }

  /**
   * Returns what this process has used since its start.
   *
   * @return CPU time of all its threads, in nanoseconds
   */
  public static long processNanos() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean bean
        ? bean.getProcessCpuTime()
        : 0;
  }

  private static long machineNanos() {
    try (BufferedReader reader = Files.newBufferedReader(STAT)) {
      String line = reader.readLine();
      return line == null ? 0 : busyTicks(line) * TICK_NANOS;
    } catch (IOException e) {
      return 0; // not Linux
    }
  }

  /** Sum of the non-idle ticks in a line of {@code /proc/stat}. */
  static long busyTicks(String line) {
    String[] words = line.strip().split("\\s+", -1);
    long sum = 0;
    for (int i = 0; i < COLUMNS && i + 1 < words.length; i++) {
      if (i != IDLE && i != WAITING) {
        sum += Long.parseLong(words[i + 1]);
      }
    }
    return sum;
  }
}
