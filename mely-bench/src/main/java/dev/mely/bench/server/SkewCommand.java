package dev.mely.bench.server;

import dev.mely.bench.BenchCommand;
import dev.mely.bench.ResultTable;
import dev.mely.bench.Results;
import dev.mely.bench.SampleTime;
import dev.mely.bench.Score;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Compares servers in which one loop has all the work. */
@Command(
    name = "skew",
    description =
        "8 busy connections, with 500 µs per request, all on the first event loop, and 8 light"
            + " ones: Netty's own group, Mely's, and Netty's with the busy connections spread"
            + " evenly. The client is one event loop of this process, and mostly waits.")
public final class SkewCommand extends BenchCommand {
  private static final int BUSY = 8;
  private static final int LIGHT = 8;
  private static final int SAMPLES = 5;
  private static final double MILLI = 1e6;

  @Mixin private Comparison comparison = new Comparison(SAMPLES, "nio");

  @Mixin private SampleTime time = new SampleTime();

  @Override
  public Integer call() throws Exception {
    List<Contender<String>> sides = new ArrayList<>();
    String skewed = SkewClient.skewed(BUSY, LIGHT, comparison.cores());
    String even = SkewClient.even(BUSY, LIGHT);
    for (Transport transport : comparison.transports()) {
      for (Group group : comparison.groups()) {
        Side side = new Side(Service.SKEW, transport, group);
        sides.add(side.with(skewed, () -> comparison.serve(side, null, List.of())));
      }
      // The reference is a stock group in which one loop has all busy connections.
      Side stock = new Side(Service.SKEW, transport, Group.STOCK);
      sides.add(
          new Contender<>(
              stock.label() + "-even",
              stock.label(),
              even,
              () -> comparison.serve(stock, null, List.of())));
    }
    long nanos = time.nanos(comparison.quick());
    System.out.print(comparison.environment());
    System.out.printf(
        Locale.ROOT, "%d samples of %.1f s each%n", comparison.samples(), nanos / 1e9);
    Score score = new Score("busyPerSecond", "busy requests/s", 1, 0, true);
    Results results =
        comparison.run("skew", score, sides, (side, server) -> sample(side.load(), server, nanos));
    comparison.tell(results, report(results));
    return 0;
  }

  private Map<String, Double> sample(String order, Server server, long nanos)
      throws IOException, InterruptedException {
    try (SkewClient client = new SkewClient(server.port(), order, SkewClient.LIGHT_GAP_NANOS)) {
      Map<String, Double> sample = new LinkedHashMap<>();
      WarmUp.run(server, client::count, time.warmUpNanos(comparison.quick()), sample);
      Meter meter = Meter.start(server);
      LoadClient.Result result = client.run(nanos);
      Meter.Reading used = meter.stop();
      double busy = result.closed().getTotalCount();
      sample.put("busyPerSecond", used.perSecond(busy));
      sample.put("busyP50Millis", result.closed().getValueAtPercentile(50) / MILLI);
      sample.put("busyP99Millis", result.closed().getValueAtPercentile(99) / MILLI);
      sample.put("lightPerSecond", used.perSecond((double) result.open().getTotalCount()));
      sample.put("lightP50Millis", result.open().getValueAtPercentile(50) / MILLI);
      sample.put("lightP99Millis", result.open().getValueAtPercentile(99) / MILLI);
      sample.put("lateP99Millis", result.late().getValueAtPercentile(99) / MILLI);
      used.addCosts(sample, busy);
      used.addCpus(sample);
      return sample;
    }
  }

  /** The table: each row's reference is the stock group with the skewed load. */
  static String report(Results results) {
    return new ResultTable("server", results)
            .score()
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
        sample, with its range. Busy connections are a closed loop. Light ones are an open loop: 50 requests a
        second each at random times, from which latency counts. sent late: delay of the client itself in
        sending them.
        """
        + ResultTable.CPUS_LEGEND;
  }
}
