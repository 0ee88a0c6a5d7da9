package dev.mely.bench.server;

import dev.mely.bench.BenchCommand;
import dev.mely.bench.Charts;
import dev.mely.bench.Disturbance;
import dev.mely.bench.Environment;
import dev.mely.bench.ResultFile;
import dev.mely.bench.ResultTable;
import dev.mely.bench.Results;
import dev.mely.bench.SampleTime;
import dev.mely.bench.Score;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.knowm.xchart.CategoryChart;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Compares Netty's own group with Mely's on this machine, with charts. */
@Command(
    name = "compare",
    description =
        "Netty's own event loop group and Mely's on this machine, in turn, each server on three"
            + " loads: busy connections spread evenly over the loops, busy connections all on the"
            + " first loop, and a mix of light, medium and heavy requests at the same rate for"
            + " all. Takes almost three minutes and needs no options; prints a table, and draws"
            + " throughput, latency and the CPU use of each loop.")
public final class CompareCommand extends BenchCommand {
  private static final int SAMPLES = 5;

  // So that five servers of two groups take three minutes; the loads share a server and its
  // warm-up.
  private static final double SECONDS = 1.5;
  private static final double WARM_UP_SECONDS = 8;
  private static final double QUICK_SECONDS = 1;

  /** How long the connections of a load are used before the measurement. */
  private static final long SETTLE_NANOS = 500_000_000;

  private static final int MIN_CONNECTIONS = 8;
  private static final List<Double> PERCENTILES = List.of(50.0, 75.0, 90.0, 95.0, 99.0, 99.5);
  private static final double MILLI = 1e6;

  /** The share of all cores that the mix's work uses; its overhead comes on top. */
  private static final double MIXED_USE = 0.25;

  @Option(
      names = "--out",
      paramLabel = "<directory>",
      description =
          "where to put pictures and samples (default: mely-bench/target/compare, or compare"
              + " outside of the project)")
  private @Nullable Path out;

  @Mixin private Comparison comparison = new Comparison(SAMPLES, "nio").among("stock", "mely");

  @Mixin
  private SampleTime time =
      new SampleTime(SECONDS, WARM_UP_SECONDS, QUICK_SECONDS, WARM_UP_SECONDS / 2);

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

    /** The name of a figure of this load, in a sample of all three. */
    String figure(String name) {
      return label() + "." + name;
    }
  }

  @Override
  public Integer call() throws Exception {
    Environment environment = comparison.environment();
    int cores = comparison.cores();
    long nanos = time.nanos(comparison.quick());
    time.warmUpNanos(comparison.quick()); // checks it before the first server starts
    System.out.print(environment);
    System.out.printf(
        Locale.ROOT,
        "%d servers of each group, in fresh JVMs of %d event loops, each with %.1f s of each"
            + " load.%nThe client is one event loop of this process and shares the %d CPUs with the"
            + " server.%n",
        comparison.samples(),
        cores,
        nanos / 1e9,
        environment.cpus());
    Score score = new Score("requestsPerSecond", "requests/s", 1, 0, true);
    Results all =
        comparison.run(
            "compare",
            score,
            comparison.contenders("", Service.SKEW, ""),
            (side, server) -> sample(server, nanos));
    System.out.println();
    System.out.print(report(all, connections(cores)));
    Path directory = out != null ? out : ResultFile.directory("compare");
    List<Path> written = new ArrayList<>(draw(all, cores, directory));
    for (Results r : byLoad(all)) {
      written.add(ResultFile.write(directory.resolve("compare-" + r.load() + ".json"), r));
    }
    written.forEach(file -> System.out.println("Written: " + file));
    return 0;
  }

  /** Draws throughput, and for each load its latency and the CPU use of each loop. */
  static List<Path> draw(Results all, int cores, Path directory) {
    List<Path> files = new ArrayList<>();
    Map<String, String> rates = new LinkedHashMap<>();
    Stream.of(Load.values()).forEach(l -> rates.put(l.label(), l.figure("requestsPerSecond")));
    String title = "Throughput (mixed: limited by the rate of requests)";
    files.addAll(picture(all, directory, "throughput", title, "requests/s", rates));
    for (Load load : Load.values()) {
      String name = load.label();
      Map<String, String> latencies = new LinkedHashMap<>();
      PERCENTILES.forEach(p -> latencies.put(percentile(p), load.figure(percentile(p) + "Millis")));
      Map<String, String> loops = new LinkedHashMap<>();
      IntStream.range(0, cores).forEach(i -> loops.put("loop " + i, load.figure("loop" + i)));
      String of = "Latency of " + (load == Load.MIXED ? "all" : "light") + " requests, " + name;
      String busy = "How busy each event loop was, " + name;
      files.addAll(picture(all, directory, "latency-" + name, of, "ms since due", latencies));
      files.addAll(picture(all, directory, "cores-" + name, busy, "CPUs", loops));
    }
    return files;
  }

  private static List<Path> picture(
      Results all,
      Path directory,
      String name,
      String title,
      String unit,
      Map<String, String> figures) {
    return Charts.write(() -> chart(all, title, unit, figures), directory, "compare-" + name);
  }

  /** A chart that says below it if the machine was busy. */
  static CategoryChart chart(Results all, String title, String unit, Map<String, String> figures) {
    return Charts.captioned(Charts.bars(title, unit, all, figures), Disturbance.of(all));
  }

  private static int connections(int cores) {
    return Math.max(MIN_CONNECTIONS, 2 * cores);
  }

  // ---- Measuring

  /** Measures all three loads, one after the other, on a server warmed up by the first one. */
  private Map<String, Double> sample(Server server, long nanos)
      throws IOException, InterruptedException {
    Map<String, Double> all = new LinkedHashMap<>();
    Map<String, Double> warm = new LinkedHashMap<>();
    long warmUp = time.warmUpNanos(comparison.quick());
    try (SkewClient client = connect(server, Load.EVEN)) {
      WarmUp.run(server, client::count, warmUp, warm);
    }
    double others = 0;
    for (Load load : Load.values()) {
      try (SkewClient client = connect(server, load)) {
        client.run(Math.min(SETTLE_NANOS, nanos));
        Map<String, Double> sample = new LinkedHashMap<>(warm);
        measure(sample, client, server, nanos);
        others = Math.max(others, sample.getOrDefault(ResultTable.OTHERS, 0.0));
        sample.forEach((name, value) -> all.put(load.figure(name), value));
      }
    }
    all.put(ResultTable.OTHERS, others);
    return all;
  }

  private SkewClient connect(Server server, Load load) throws IOException, InterruptedException {
    int cores = comparison.cores();
    int n = connections(cores);
    String order =
        switch (load) {
          case EVEN -> SkewClient.even(n, n);
          case SKEWED -> SkewClient.skewed(n, n, cores);
          case MIXED -> SkewClient.mixed(2 * n);
        };
    long gap =
        load == Load.MIXED
            ? (long) (2L * n * Frame.MIXED_NANOS / (MIXED_USE * cores))
            : SkewClient.LIGHT_GAP_NANOS;
    return new SkewClient(server.port(), SkewClient.padded(order, cores), gap);
  }

  private static void measure(
      Map<String, Double> sample, SkewClient client, Server server, long nanos)
      throws IOException, InterruptedException {
    Meter meter = Meter.start(server);
    LoadClient.Result result = client.run(nanos);
    Meter.Reading used = meter.stop();
    Histogram open = result.open();
    double requests = result.closed().getTotalCount() + (double) open.getTotalCount();
    sample.put("requestsPerSecond", used.perSecond(requests));
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
  }

  /** Name of a percentile: p99, p99.5. */
  static String percentile(double p) {
    return "p" + (p == Math.rint(p) ? Long.toString(Math.round(p)) : Double.toString(p));
  }

  // ---- Table

  /**
   * The table: each row's reference is the stock group on the same load. Its last line says so if
   * other processes were busy meanwhile.
   */
  static String report(Results results, int connections) {
    Results all =
        Stream.of(Load.values())
            .map(load -> results.part(load.figure(""), "", c -> load.label() + " " + c))
            .reduce(Results::and)
            .orElseThrow();
    ResultTable table =
        new ResultTable("load and group", all)
            .score()
            .median("p50 ms", "p50Millis", 2)
            .spread("p99 ms", "p99Millis", 2)
            .median("sent late p99 ms", "lateP99Millis", 2)
            .median("steals/1000", "stealsPerThousand", 0)
            .median("CPU µs/request", "serverCpuMicros", 1)
            .median("server CPUs", "serverCpus", 2)
            .cpus();
    String busy = Disturbance.of(results);
    StringBuilder text = new StringBuilder(table.toString()).append('\n');
    for (Load load : Load.values()) {
      text.append(load.label()).append(": ").append(load.description).append(".\n");
    }
    return text.append(
            String.format(
                Locale.ROOT,
                """
                %d busy connections, 500 µs of work per request, in a closed loop; as many light ones, without work,
                50 requests a second each at random times. The mix: 70 %% light, 20 %% of 100 µs, 10 %% of 500 µs, at
                a rate whose work alone keeps the cores %.0f %% busy; this rate limits the answers.
                × stock: ratio of requests/s to Netty's own group, sample by sample, with its range.
                p50, p99: latency of light requests, and of all requests of the mix, from the time at which they were
                due. sent late: delay of the client itself. Medians of the samples, with their range.
                steals/1000: per 1,000 requests.
                """,
                connections,
                100 * MIXED_USE))
        .append(ResultTable.CPUS_LEGEND)
        .append(busy.isEmpty() ? "" : busy + "\n")
        .toString();
  }

  // ---- Results

  /** The results of each load. */
  static List<Results> byLoad(Results all) {
    return Stream.of(Load.values())
        .map(load -> all.part(load.figure(""), load.label(), c -> c))
        .toList();
  }
}
