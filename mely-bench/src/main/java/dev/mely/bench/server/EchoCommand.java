package dev.mely.bench.server;

import dev.mely.bench.Checks;
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
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Compares echo servers. */
@Command(
    name = "echo",
    description =
        "Netty echo servers on loopback, on Netty's own group and on Mely's: many connections, each "
            + "with one message of 16 bytes under way. The client is one thread of this process; it "
            + "shares the machine's CPUs with the server.",
    mixinStandardHelpOptions = true,
    versionProvider = Versions.class,
    sortOptions = false)
public final class EchoCommand implements Callable<Integer> {
  private static final int MAX_CONNECTIONS = 10_000;
  private static final int PAIRS = 5;
  private static final double MICRO = 1e3;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--connections",
      paramLabel = "<n>",
      description = "connections (default: ${DEFAULT-VALUE})")
  private int connections = 64;

  @Mixin private Comparison comparison = new Comparison(PAIRS, "nio", "epoll");

  /** One side. */
  record Side(Transport transport, Group group) implements Contender {
    @Override
    public String label() {
      return transport.label() + "-" + group.label();
    }
  }

  @Override
  public Integer call() throws Exception {
    Checks.inRange(spec, "--connections", connections, 1, MAX_CONNECTIONS);
    List<Side> sides = new ArrayList<>();
    for (Transport transport : comparison.transports(spec)) {
      comparison.groups(spec).forEach(group -> sides.add(new Side(transport, group)));
    }
    Environment environment = comparison.environment(spec);
    System.out.print(environment);
    System.out.printf(
        "%d connections, %d samples of %.1f s each%n",
        connections, comparison.samples(spec), comparison.nanos(spec) / 1e9);
    Map<Side, List<Map<String, Double>>> results =
        comparison.run(spec, "echo", Service.ECHO, sides, (side, server) -> sample(server));
    System.out.println();
    System.out.print(report(results));
    Score score = new Score("messagesPerSecond", "K messages/s", 1e3, 1, true);
    System.out.println(
        "Samples: "
            + comparison.write(
                "echo",
                score,
                side -> new Side(side.transport, Group.STOCK),
                environment,
                results));
    return 0;
  }

  private Map<String, Double> sample(ServerProcess server) throws IOException {
    long nanos = comparison.nanos(spec);
    try (EchoClient client = new EchoClient(server.port(), connections)) {
      client.run(nanos, new Histogram(3));
      Histogram times = new Histogram(3);
      Usage before = server.usage();
      Usage clientBefore = Usage.ofThisProcess(0);
      Others others = Others.start();
      long start = System.nanoTime();
      double messages = client.run(nanos, times);
      double took = System.nanoTime() - start;
      Usage used = server.usage().since(before);
      double othersNanos = others.nanos(used.cpuNanos());
      Usage clientUsed = Usage.ofThisProcess(0).since(clientBefore);
      Map<String, Double> sample = new LinkedHashMap<>();
      sample.put("messagesPerSecond", messages / took * 1e9);
      sample.put("p50Micros", times.getValueAtPercentile(50) / MICRO);
      sample.put("p99Micros", times.getValueAtPercentile(99) / MICRO);
      sample.put("serverCpuMicrosPerMessage", used.cpuNanos() / MICRO / messages);
      sample.put("switchesPerMessage", used.switches() / messages);
      sample.put("stealsPerThousand", 1_000 * used.steals() / messages);
      sample.put("clientCpus", clientUsed.cpuNanos() / took);
      sample.put(Comparison.OTHERS, Math.max(0, othersNanos / took));
      return sample;
    }
  }

  /** The table: each row's reference is the stock group on the same transport. */
  static String report(Map<Side, List<Map<String, Double>>> results) {
    Table table =
        new Table(
            "server",
            "K messages/s",
            "× stock",
            "range",
            "p50 µs",
            "p99 µs",
            "CPU µs/message",
            "switches/message",
            "steals/1000",
            "client CPUs",
            "others CPUs");
    results.forEach(
        (side, samples) -> {
          Column rate = Column.of(samples, "messagesPerSecond");
          Spread ratio = rate.over(results.get(new Side(side.transport, Group.STOCK)));
          table.add(
              side.label(),
              Table.number(rate.spread().median() / 1e3, 1),
              Table.number(ratio.median(), 2),
              ratio.range(2),
              Column.of(samples, "p50Micros").median(0),
              Column.of(samples, "p99Micros").median(0),
              Column.of(samples, "serverCpuMicrosPerMessage").median(2),
              Column.of(samples, "switchesPerMessage").median(3),
              Column.of(samples, "stealsPerThousand").median(2),
              Column.of(samples, "clientCpus").median(2),
              Column.of(samples, Comparison.OTHERS).median(2));
        });
    return table
        + """

        Medians of the samples. × stock: ratio to Netty's own group on the same transport, sample by
        sample, with its range. p50, p99: there and back, in a closed loop. CPU, switches: of the server's
        process. client CPUs: what the client's process used meanwhile;
        others CPUs: what all other processes did.
        """;
  }
}
