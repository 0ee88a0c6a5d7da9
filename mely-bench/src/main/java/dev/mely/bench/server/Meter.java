package dev.mely.bench.server;

import dev.mely.bench.Others;
import dev.mely.bench.ResultTable;
import java.io.IOException;
import java.util.Map;

/**
 * What a load costs: looks at the server's process, at the client's, which is this one, and at the
 * rest of the machine, before and after.
 */
final class Meter {
  private final Server server;
  private final Usage before;
  private final Others others;
  private final long client;
  private final long start;

  private Meter(Server server) throws IOException {
    this.server = server;
    this.before = server.usage();
    this.others = Others.start();
    this.client = Others.processNanos();
    this.start = System.nanoTime();
  }

  /** Begins to look. */
  static Meter start(Server server) throws IOException {
    return new Meter(server);
  }

  /** Tells what was used since the start by a client that is this process alone. */
  Reading stop() throws IOException {
    return stop(0);
  }

  /**
   * Tells what was used since the start.
   *
   * @param childNanos CPU time of further processes of the client
   */
  Reading stop(long childNanos) throws IOException {
    long nanos = System.nanoTime() - start;
    Usage used = server.usage().since(before);
    long othersNanos = others.nanos(used.cpuNanos() + childNanos);
    return new Reading(nanos, used, Others.processNanos() - client + childNanos, othersNanos);
  }

  /**
   * What was used.
   *
   * @param nanos how long it took
   * @param server by the server's process
   * @param clientNanos CPU time of the client
   * @param othersNanos CPU time of all other processes
   */
  record Reading(long nanos, Usage server, long clientNanos, long othersNanos) {
    /** What so many are in a second. */
    double perSecond(double count) {
      return count / nanos * 1e9;
    }

    /**
     * Adds what server, client and others used, in CPUs, to a sample, what the server's compilers
     * and collector did, and what memory it took.
     */
    void addCpus(Map<String, Double> sample) {
      sample.put("serverCpus", (double) server.cpuNanos() / nanos);
      sample.put("clientCpus", (double) clientNanos / nanos);
      sample.put(ResultTable.OTHERS, (double) Math.max(0, othersNanos) / nanos);
      server.jvm().addTo(sample, nanos);
      server.memory().addTo(sample);
    }

    /** Adds what each of so many answers has cost the server to a sample, and what each steal. */
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
