package dev.mely.bench.cache;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/** Whether the hardware's counters of cache misses can be read here, by Linux's {@code perf}. */
final class PerfCounters {
  private static final String EVENT = "cache-misses";
  private static final long PATIENCE_SECONDS = 10;

  private final String program;

  /**
   * @param program to run: a name on the path, or a file
   */
  PerfCounters(String program) {
    this.program = program;
  }

  /** What can be said of the counters, in a line; begins with "none" where there are none. */
  String describe() {
    try {
      Process process =
          new ProcessBuilder(program, "stat", "-x,", "-e", EVENT, "true")
              .redirectErrorStream(true)
              .start();
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      boolean ended = process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
      boolean counts =
          ended
              && process.exitValue() == 0
              && said.lines().anyMatch(l -> l.contains(EVENT) && Character.isDigit(l.charAt(0)));
      return counts
          ? "there are: 'perf stat -e cache-misses -p PID' beside a server counts all of its misses"
          : "none: 'perf' runs, but this machine does not count " + EVENT;
    } catch (IOException e) {
      return "none: there is no program '" + program + "'";
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "none: interrupted";
    }
  }
}
