package dev.mely.bench.server;

import dev.mely.bench.OtherProcesses;
import dev.mely.bench.ResultTable;
import java.io.IOException;
import java.util.Map;

/**
 * Measures the cost of a load: reads the CPU time of the server's process, of the client (this
 * process) and of other processes before and after.
 */
final class Meter {
  private final Server server;
  private final Usage before;
  private final OtherProcesses others;
  private final long client;
  private final long start;

  private Meter(Server server) throws IOException {
    this.server = server;
    this.before = server.usage();
    this.others = OtherProcesses.start();
    this.client = OtherProcesses.processNanos();
    this.start = System.nanoTime();
  }

  /** Starts a measurement. */
  static Meter start(Server server) throws IOException {
    return new Meter(server);
  }

  /** Ends the measurement, with this process as the only client. */
  Reading stop() throws IOException {
    return stop(0);
  }

  /**
   * Ends the measurement.
   *
   * @param childNanos CPU time of further processes of the client
   */
  Reading stop(long childNanos) throws IOException {
    long nanos = System.nanoTime() - start;
    Usage used = server.usage().since(before);
    long othersNanos = others.nanos(used.cpuNanos() + childNanos);
    return new Reading(
        nanos, used, OtherProcesses.processNanos() - client + childNanos, othersNanos);
  }

  /**
   * The result of a measurement.
   *
   * @param nanos duration
   * @param server use of the server's process
   * @param clientNanos CPU time of the client
   * @param othersNanos CPU time of all other processes
   */
  record Reading(long nanos, Usage server, long clientNanos, long othersNanos) {
    /** Converts a count to a rate per second. */
    double perSecond(double count) {
      return count / nanos * 1e9;
    }

    /**
     * Adds to a sample the CPU use of server, client and other processes, in CPUs, and the server's
     * compilers, GC and memory.
     */
    void addCpus(Map<String, Double> sample) {
      sample.put("serverCpus", (double) server.cpuNanos() / nanos);
      sample.put("clientCpus", (double) clientNanos / nanos);
      sample.put(ResultTable.OTHERS, (double) Math.max(0, othersNanos) / nanos);
      server.jvm().addTo(sample, nanos);
      server.memory().addTo(sample);
    }

    /** Adds the server's cost per answer and per steal to a sample. */
    void addCosts(Map<String, Double> sample, double answers) {
      sample.put("serverCpuMicros", server.cpuNanos() / 1e3 / answers);
      sample.put("switches", server.switches() / answers);
      Steals steals = server.steals();
      sample.put("stealsPerThousand", 1_000 * steals.count() / answers);
      if (steals.count() > 0) {
        sample.put("stealMicros", steals.costNanos() / 1e3 / steals.count());
        sample.put("stolenMicros", steals.stolenNanos() / 1e3 / steals.count());
      }
    }
  }
}
