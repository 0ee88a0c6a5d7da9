package dev.mely.bench.server;

import dev.mely.bench.Column;
import dev.mely.bench.Environment;
import dev.mely.bench.Others;
import dev.mely.bench.Results;
import dev.mely.bench.Score;
import dev.mely.bench.Spread;
import dev.mely.bench.Table;
import dev.mely.bench.Versions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Compares Netty's own group with Mely's on this machine, with pictures. */
@Command(
    name = "compare",
    description =
        "Netty's own event loop group and Mely's on this machine, in turn, on three loads: busy "
            + "connections spread evenly over the loops, busy connections all on the first loop, and "
            + "a mix of light, medium and heavy requests. Takes two minutes and needs no options; prints "
            + "a table, and draws throughput, latency and how busy each core was.",
    mixinStandardHelpOptions = true,
    versionProvider = Versions.class,
    sortOptions = false)
public final class CompareCommand implements Callable<Integer> {
  private static final int SAMPLES = 3;
  private static final int MIN_CONNECTIONS = 8;
  private static final List<Double> PERCENTILES = List.of(50.0, 75.0, 90.0, 95.0, 99.0, 99.5);
  private static final double MILLI = 1e6;

  /** The work of the mix keeps so much of all cores busy; what goes with it comes on top. */
  private static final double MIXED_USE = 0.25;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--out",
      paramLabel = "<directory>",
      description =
          "where to put pictures and samples (default: mely-bench/target/compare, or compare outside of "
              + "the project)")
  private @Nullable Path out;

  @Mixin private Comparison comparison = new Comparison(SAMPLES, "nio");

  /** What the clients do. */
  enum Load {
    EVEN("busy connections spread evenly, and light ones"),
    SKEWED("busy connections all accepted by the first loop, and light ones"),
    MIXED("light, medium and heavy requests at random times on every connection");

    final String description;

    Load(String description) {
      this.description = description;
    }

    String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** One side. */
  record Side(Load load, Transport transport, Group group) implements Contender {
    @Override
    public String label() {
      return load.label() + " " + transport.label() + "-" + group.label();
    }
  }

  @Override
  public Integer call() throws Exception {
    List<Side> sides = new ArrayList<>();
    for (Load load : Load.values()) {
      for (Transport transport : comparison.transports(spec)) {
        comparison.groups(spec).forEach(group -> sides.add(new Side(load, transport, group)));
      }
    }
    Environment environment = comparison.environment(spec);
    int cores = comparison.cores(spec);
    System.out.print(environment);
    System.out.printf(
        "%d samples of %.1f s each, every one with its server in a fresh JVM of %d event loops.%n"
            + "The clients are threads of this process and share the %d CPUs with the server.%n",
        comparison.samples(spec), comparison.nanos(spec) / 1e9, cores, environment.cpus());
    Map<Side, List<Map<String, Double>>> samples =
        comparison.run(spec, "compare", Service.SKEW, sides, this::sample);
    System.out.println();
    System.out.print(report(samples, connections(cores)));
    Path directory = out != null ? out : defaultDirectory();
    List<Path> written = new ArrayList<>();
    List<Results> results = results(samples, environment);
    for (Results r : results) {
      Files.createDirectories(directory);
      Path file = directory.resolve(r.fileName() + ".json");
      written.add(Files.writeString(file, r.toJson() + "\n"));
    }
    written.addAll(new CompareCharts(results, cores, PERCENTILES).write(directory));
    written.forEach(file -> System.out.println("Written: " + file));
    return 0;
  }

  private static Path defaultDirectory() {
    Path build = Path.of("mely-bench", "target");
    return Files.isDirectory(build) ? build.resolve("compare") : Path.of("compare");
  }

  private static int connections(int cores) {
    return Math.max(MIN_CONNECTIONS, 2 * cores);
  }

  // ---- Measuring

  private Map<String, Double> sample(Side side, ServerProcess server)
      throws IOException, InterruptedException {
    long nanos = comparison.nanos(spec);
    int cores = comparison.cores(spec);
    int n = connections(cores);
    String order =
        switch (side.load) {
          case EVEN -> SkewClient.even(n, n);
          case SKEWED -> SkewClient.skewed(n, n, cores);
          case MIXED -> SkewClient.mixed(2 * n);
        };
    long gap = (long) (2L * n * Frame.MIXED_NANOS / (MIXED_USE * cores));
    try (SkewClient client = new SkewClient(server.port(), order, gap)) {
      client.run(nanos);
      Usage before = server.usage();
      Usage clientBefore = Usage.ofThisProcess(0);
      Others others = Others.start();
      SkewClient.Result result = client.run(nanos);
      Usage used = server.usage().since(before);
      double othersNanos = others.nanos(used.cpuNanos());
      Usage clientUsed = Usage.ofThisProcess(0).since(clientBefore);
      Histogram open = result.light();
      double requests = result.busy().getTotalCount() + (double) open.getTotalCount();
      Map<String, Double> sample = new LinkedHashMap<>();
      sample.put("requestsPerSecond", requests / result.nanos() * 1e9);
      for (double p : PERCENTILES) {
        sample.put(percentile(p) + "Millis", open.getValueAtPercentile(p) / MILLI);
      }
      sample.put("lateP99Millis", result.late().getValueAtPercentile(99) / MILLI);
      sample.put("stealsPerThousand", 1_000 * used.steals() / requests);
      sample.put("serverCpus", (double) used.cpuNanos() / result.nanos());
      sample.put("clientCpus", (double) clientUsed.cpuNanos() / result.nanos());
      sample.put(Comparison.OTHERS, Math.max(0, othersNanos / result.nanos()));
      for (int i = 0; i < used.loops().size(); i++) {
        sample.put("loop" + i, (double) used.loops().get(i) / result.nanos());
      }
      return sample;
    }
  }

  /** Name of a percentile: p99, p99.5. */
  static String percentile(double p) {
    return "p" + (p == Math.rint(p) ? Long.toString(Math.round(p)) : Double.toString(p));
  }

  // ---- Table

  /** The table: each row's reference is the stock group on the same load. */
  static String report(Map<Side, List<Map<String, Double>>> results, int connections) {
    Table table =
        new Table(
            "load and group",
            "requests/s",
            "× stock",
            "range",
            "p50 ms",
            "p99 ms",
            "sent late p99 ms",
            "steals/1000",
            "server CPUs",
            "client CPUs",
            "others CPUs");
    results.forEach(
        (side, samples) -> {
          Column rate = Column.of(samples, "requestsPerSecond");
          Spread ratio = rate.over(results.get(reference(side)));
          table.add(
              side.label(),
              rate.median(0),
              Table.number(ratio.median(), 2),
              ratio.range(2),
              Column.of(samples, "p50Millis").median(2),
              Column.of(samples, "p99Millis").all(2),
              Column.of(samples, "lateP99Millis").median(2),
              Column.of(samples, "stealsPerThousand").median(0),
              Column.of(samples, "serverCpus").median(2),
              Column.of(samples, "clientCpus").median(2),
              Column.of(samples, Comparison.OTHERS).median(2));
        });
    StringBuilder text = new StringBuilder(table.toString()).append('\n');
    for (Load load : Load.values()) {
      text.append(load.label()).append(": ").append(load.description).append(".\n");
    }
    return text.append(
            String.format(
                Locale.ROOT,
                """
                %d busy connections, 500 µs of work a request, in a closed loop; as many light ones, no work,
                50 requests a second each at random times. The mix: 70 %% light, 20 %% of 100 µs, 10 %% of 500 µs,
                at a rate whose work alone keeps the cores %.0f %% busy; no more can come back than was sent.
                p50, p99: of light requests, and of all of the mix, from the time at which they were due.
                sent late: how late the client itself woke up. Medians of the samples, with their range.
                client CPUs: what the load costs; it shares the server's CPUs. others CPUs: all other processes.
                """,
                connections,
                100 * MIXED_USE))
        .toString();
  }

  private static Side reference(Side side) {
    return new Side(side.load, side.transport, Group.STOCK);
  }

  // ---- What stays

  private static List<Results> results(
      Map<Side, List<Map<String, Double>>> samples, Environment environment) {
    List<Results> results = new ArrayList<>();
    for (Load load : Load.values()) {
      Map<String, String> references = new LinkedHashMap<>();
      Map<String, List<Map<String, Double>>> some = new LinkedHashMap<>();
      samples.forEach(
          (side, list) -> {
            if (side.load == load) {
              String name = side.transport.label() + "-" + side.group.label();
              references.put(name, side.transport.label() + "-" + Group.STOCK.label());
              some.put(name, list);
            }
          });
      Score score = new Score("requestsPerSecond", "requests/s", 1, 0, true);
      results.add(
          new Results("compare", load.label(), score, references, environment.toMap(), some));
    }
    return results;
  }
}
