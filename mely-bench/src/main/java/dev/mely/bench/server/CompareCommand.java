package dev.mely.bench.server;

import dev.mely.bench.Environment;
import dev.mely.bench.Results;
import dev.mely.bench.SampleTime;
import dev.mely.bench.Score;
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
import picocli.CommandLine.Option;

/** Compares Netty's own group with Mely's on this machine, with pictures. */
@Command(
    name = "compare",
    description =
        "Netty's own event loop group and Mely's on this machine, in turn, on three loads: busy "
            + "connections spread evenly over the loops, busy connections all on the first loop, and "
            + "a mix of light, medium and heavy requests. Takes three minutes and needs no options; prints "
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

  @Option(
      names = "--out",
      paramLabel = "<directory>",
      description =
          "where to put pictures and samples (default: mely-bench/target/compare, or compare outside of "
              + "the project)")
  private @Nullable Path out;

  @Mixin private Comparison comparison = new Comparison(SAMPLES, "nio");

  @Mixin private SampleTime time = new SampleTime();

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

    static Load of(String label) {
      return Labels.parse("load", label, values(), Load::label);
    }
  }

  @Override
  public Integer call() throws Exception {
    List<Side> sides = new ArrayList<>();
    for (Load load : Load.values()) {
      sides.addAll(comparison.sides(load.label(), Service.SKEW));
    }
    Environment environment = comparison.environment();
    int cores = comparison.cores();
    long nanos = time.nanos(comparison.quick());
    System.out.print(environment);
    System.out.printf(
        "%d samples of %.1f s each, every one with its server in a fresh JVM of %d event loops.%n"
            + "The clients are threads of this process and share the %d CPUs with the server.%n",
        comparison.samples(), nanos / 1e9, cores, environment.cpus());
    Score score = new Score("requestsPerSecond", "requests/s", 1, 0, true);
    Results all =
        comparison.run("compare", score, sides, (side, server) -> sample(side, server, nanos));
    System.out.println();
    System.out.print(report(all, connections(cores)));
    Path directory = out != null ? out : defaultDirectory();
    List<Path> written = new ArrayList<>();
    List<Results> results = byLoad(all, sides);
    for (Results r : results) {
      Files.createDirectories(directory);
      Path file = directory.resolve("compare-" + r.load() + ".json");
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

  private Map<String, Double> sample(Side side, Server server, long nanos)
      throws IOException, InterruptedException {
    int cores = comparison.cores();
    int n = connections(cores);
    String order =
        switch (Load.of(side.load())) {
          case EVEN -> SkewClient.even(n, n);
          case SKEWED -> SkewClient.skewed(n, n, cores);
          case MIXED -> SkewClient.mixed(2 * n);
        };
    long gap = (long) (2L * n * Frame.MIXED_NANOS / (MIXED_USE * cores));
    try (SkewClient client = new SkewClient(server.port(), order, gap)) {
      client.run(time.warmUpNanos(comparison.quick()));
      Meter meter = Meter.start(server);
      SkewClient.Result result = client.run(nanos);
      Meter.Reading used = meter.stop();
      Histogram open = result.light();
      double requests = result.busy().getTotalCount() + (double) open.getTotalCount();
      Map<String, Double> sample = new LinkedHashMap<>();
      sample.put("requestsPerSecond", requests / result.nanos() * 1e9);
      for (double p : PERCENTILES) {
        sample.put(percentile(p) + "Millis", open.getValueAtPercentile(p) / MILLI);
      }
      sample.put("lateP99Millis", result.late().getValueAtPercentile(99) / MILLI);
      used.addCosts(sample, requests);
      used.addCpus(sample);
      List<Long> loops = used.server().loops();
      for (int i = 0; i < loops.size(); i++) {
        sample.put("loop" + i, (double) loops.get(i) / used.nanos());
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
  static String report(Results results, int connections) {
    ComparisonTable table =
        new ComparisonTable("load and group", results)
            .median("p50 ms", "p50Millis", 2)
            .spread("p99 ms", "p99Millis", 2)
            .median("sent late p99 ms", "lateP99Millis", 2)
            .median("steals/1000", "stealsPerThousand", 0)
            .median("server CPUs", "serverCpus", 2)
            .median("client CPUs", "clientCpus", 2)
            .median("others CPUs", Meter.OTHERS, 2);
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
                × stock: ratio of requests/s to Netty's own group, sample by sample, with its range.
                p50, p99: of light requests, and of all of the mix, from the time at which they were due.
                sent late: how late the client itself woke up. Medians of the samples, with their range.
                steals/1000: in 1,000 requests. client CPUs: what the load costs; it shares the server's CPUs.
                others CPUs: all other processes.
                """,
                connections,
                100 * MIXED_USE))
        .toString();
  }

  // ---- What stays

  /** One for each load, with contenders that are named without it. */
  static List<Results> byLoad(Results all, List<Side> sides) {
    List<Results> results = new ArrayList<>();
    for (Load load : Load.values()) {
      Map<String, String> references = new LinkedHashMap<>();
      Map<String, List<Map<String, Double>>> some = new LinkedHashMap<>();
      for (Side side : sides) {
        List<Map<String, Double>> samples = all.samples().get(side.label());
        if (side.load().equals(load.label()) && samples != null) {
          references.put(side.loops(), side.stock().loops());
          some.put(side.loops(), samples);
        }
      }
      results.add(
          new Results("compare", load.label(), all.score(), references, all.environment(), some));
    }
    return results;
  }
}
