package dev.mely.bench.server;

import dev.mely.bench.Column;
import dev.mely.bench.Environment;
import dev.mely.bench.Others;
import dev.mely.bench.Score;
import dev.mely.bench.Spread;
import dev.mely.bench.Table;
import dev.mely.bench.Versions;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

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
  private static final int PAIRS = 5;
  private static final double MILLI = 1e6;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Mixin private Comparison comparison = new Comparison(PAIRS, "nio");

  /** One side. */
  record Side(Transport transport, Group group, boolean even) implements Contender {
    @Override
    public String label() {
      return transport.label() + "-" + group.label() + (even ? "-even" : "");
    }

    /** What the others are compared with. */
    static Side reference(Transport transport) {
      return new Side(transport, Group.STOCK, false);
    }
  }

  @Override
  public Integer call() throws Exception {
    List<Side> sides = new ArrayList<>();
    for (Transport transport : comparison.transports(spec)) {
      comparison.groups(spec).forEach(group -> sides.add(new Side(transport, group, false)));
      sides.add(new Side(transport, Group.STOCK, true));
    }
    Environment environment = comparison.environment(spec);
    System.out.print(environment);
    System.out.printf(
        "%d samples of %.1f s each%n", comparison.samples(spec), comparison.nanos(spec) / 1e9);
    Map<Side, List<Map<String, Double>>> results =
        comparison.run(spec, "skew", Service.SKEW, sides, this::sample);
    System.out.println();
    System.out.print(report(results));
    Score score = new Score("busyPerSecond", "busy requests/s", 1, 0, true);
    System.out.println(
        "Samples: "
            + comparison.write(
                "skew", score, side -> Side.reference(side.transport), environment, results));
    return 0;
  }

  private Map<String, Double> sample(Side side, ServerProcess server)
      throws IOException, InterruptedException {
    long nanos = comparison.nanos(spec);
    String order =
        side.even
            ? SkewClient.even(BUSY, LIGHT)
            : SkewClient.skewed(BUSY, LIGHT, comparison.cores(spec));
    try (SkewClient client = new SkewClient(server.port(), order)) {
      client.run(nanos);
      Usage before = server.usage();
      Usage clientBefore = Usage.ofThisProcess(0);
      Others others = Others.start();
      SkewClient.Result result = client.run(nanos);
      Usage used = server.usage().since(before);
      double othersNanos = others.nanos(used.cpuNanos());
      Usage clientUsed = Usage.ofThisProcess(0).since(clientBefore);
      double busy = result.busy().getTotalCount();
      Map<String, Double> sample = new LinkedHashMap<>();
      sample.put("busyPerSecond", busy / result.nanos() * 1e9);
      sample.put("busyP50Millis", result.busy().getValueAtPercentile(50) / MILLI);
      sample.put("busyP99Millis", result.busy().getValueAtPercentile(99) / MILLI);
      sample.put("lightPerSecond", result.light().getTotalCount() * 1e9 / result.nanos());
      sample.put("lightP50Millis", result.light().getValueAtPercentile(50) / MILLI);
      sample.put("lightP99Millis", result.light().getValueAtPercentile(99) / MILLI);
      sample.put("lateP99Millis", result.late().getValueAtPercentile(99) / MILLI);
      sample.put("serverCpus", (double) used.cpuNanos() / result.nanos());
      sample.put("stealsPerThousand", 1_000 * used.steals() / busy);
      sample.put("clientCpus", (double) clientUsed.cpuNanos() / result.nanos());
      sample.put(Comparison.OTHERS, Math.max(0, othersNanos / result.nanos()));
      return sample;
    }
  }

  /** The table: each row's reference is the stock group with the skewed load. */
  static String report(Map<Side, List<Map<String, Double>>> results) {
    Table table =
        new Table(
            "server",
            "busy requests/s",
            "× stock",
            "range",
            "busy p99 ms",
            "light p50 ms",
            "light p99 ms",
            "sent late p99 ms",
            "steals/1000",
            "server CPUs",
            "client CPUs",
            "others CPUs");
    results.forEach(
        (side, samples) -> {
          Column rate = Column.of(samples, "busyPerSecond");
          Spread ratio = rate.over(results.get(Side.reference(side.transport)));
          table.add(
              side.label(),
              rate.median(0),
              Table.number(ratio.median(), 2),
              ratio.range(2),
              Column.of(samples, "busyP99Millis").median(1),
              Column.of(samples, "lightP50Millis").median(2),
              Column.of(samples, "lightP99Millis").all(2),
              Column.of(samples, "lateP99Millis").median(2),
              Column.of(samples, "stealsPerThousand").median(0),
              Column.of(samples, "serverCpus").median(2),
              Column.of(samples, "clientCpus").median(2),
              Column.of(samples, Comparison.OTHERS).median(2));
        });
    return table
        + """

        Medians of the samples. × stock: ratio to Netty's own group with the same skewed load, sample by
        sample, with its range. Busy connections are a closed loop. Light ones send at random times, set
        beforehand, 50 a second each; their latency counts from the time at which the request was due.
        sent late: how late the client itself woke up to send them. The client shares the server's CPUs.
        others CPUs: what all other processes used meanwhile.
        """;
  }
}
