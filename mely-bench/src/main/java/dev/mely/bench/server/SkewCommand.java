package dev.mely.bench.server;

import dev.mely.bench.Results;
import dev.mely.bench.SampleTime;
import dev.mely.bench.Score;
import dev.mely.bench.Versions;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Compares servers of which one loop has got all the work. */
@Command(
    name = "skew",
    description =
        "8 busy connections, of 500 µs a request, that were all accepted onto the first event loop, "
            + "and 8 light ones: Netty's own group, Mely's, and Netty's with the busy connections "
            + "spread evenly. The client's threads, in this process, mostly sleep.",
    mixinStandardHelpOptions = true,
    versionProvider = Versions.class,
    sortOptions = false)
public final class SkewCommand implements Callable<Integer> {
  private static final int BUSY = 8;
  private static final int LIGHT = 8;
  private static final int SAMPLES = 5;
  private static final double MILLI = 1e6;

  @Mixin private Comparison comparison = new Comparison(SAMPLES, "nio");

  @Mixin private SampleTime time = new SampleTime();

  /**
   * One side.
   *
   * @param loops what serves
   * @param even whether the busy connections are spread; the others are compared with a stock group
   *     of which one loop has them all
   */
  record Skewed(Side loops, boolean even) implements Contender {
    @Override
    public String label() {
      return loops.label() + (even ? "-even" : "");
    }

    @Override
    public String reference() {
      return loops.reference();
    }

    @Override
    public Server start(Comparison comparison) throws IOException {
      return loops.start(comparison);
    }
  }

  @Override
  public Integer call() throws Exception {
    List<Skewed> sides = new ArrayList<>();
    List<Group> groups = comparison.groups();
    for (Transport transport : comparison.transports()) {
      for (Group group : groups) {
        sides.add(new Skewed(new Side(Service.SKEW, transport, group), false));
      }
      sides.add(new Skewed(new Side(Service.SKEW, transport, Group.STOCK), true));
    }
    long nanos = time.nanos(comparison.quick());
    System.out.print(comparison.environment());
    System.out.printf(
        Locale.ROOT, "%d samples of %.1f s each%n", comparison.samples(), nanos / 1e9);
    Score score = new Score("busyPerSecond", "busy requests/s", 1, 0, true);
    Results results =
        comparison.run("skew", score, sides, (side, server) -> sample(side, server, nanos));
    System.out.println();
    System.out.print(report(results));
    System.out.println("Samples: " + comparison.write(results));
    return 0;
  }

  private Map<String, Double> sample(Skewed side, Server server, long nanos)
      throws IOException, InterruptedException {
    String order =
        side.even
            ? SkewClient.even(BUSY, LIGHT)
            : SkewClient.skewed(BUSY, LIGHT, comparison.cores());
    try (SkewClient client = new SkewClient(server.port(), order)) {
      Map<String, Double> sample = new LinkedHashMap<>();
      WarmUp.run(server, client::count, time.warmUpNanos(comparison.quick()), sample);
      Meter meter = Meter.start(server);
      SkewClient.Result result = client.run(nanos);
      Meter.Reading used = meter.stop();
      double busy = result.busy().getTotalCount();
      sample.put("busyPerSecond", busy / result.nanos() * 1e9);
      sample.put("busyP50Millis", result.busy().getValueAtPercentile(50) / MILLI);
      sample.put("busyP99Millis", result.busy().getValueAtPercentile(99) / MILLI);
      sample.put("lightPerSecond", result.light().getTotalCount() * 1e9 / result.nanos());
      sample.put("lightP50Millis", result.light().getValueAtPercentile(50) / MILLI);
      sample.put("lightP99Millis", result.light().getValueAtPercentile(99) / MILLI);
      sample.put("lateP99Millis", result.late().getValueAtPercentile(99) / MILLI);
      used.addCosts(sample, busy);
      used.addCpus(sample);
      return sample;
    }
  }

  /** The table: each row's reference is the stock group with the skewed load. */
  static String report(Results results) {
    return new ComparisonTable("server", results)
            .median("busy p99 ms", "busyP99Millis", 1)
            .median("light p50 ms", "lightP50Millis", 2)
            .spread("light p99 ms", "lightP99Millis", 2)
            .median("sent late p99 ms", "lateP99Millis", 2)
            .median("steals/1000", "stealsPerThousand", 0)
            .median("CPU µs/request", "serverCpuMicros", 1)
            .median("server CPUs", "serverCpus", 2)
            .cpus()
        + """

        Medians of the samples. × stock: ratio to Netty's own group with the same skewed load, sample by
        sample, with its range. Busy connections are a closed loop. Light ones send at random times, set
        beforehand, 50 a second each; their latency counts from the time at which the request was due.
        sent late: how late the client itself woke up to send them. The client shares the server's CPUs.
        others CPUs: what all other processes used meanwhile.
        """
        + ComparisonTable.CPUS_LEGEND;
  }
}
