package dev.mely.bench.server;

import dev.mely.bench.Checks;
import dev.mely.bench.Compiling;
import dev.mely.bench.ResultTable;
import dev.mely.bench.Results;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * Measures all servers at the same rate of requests (open loop); in a closed loop, a faster server
 * also gets more requests. The rates are percentages of the capacity of Netty's own group, which
 * its first sample measures with the same client. Requests are due at random times, from which
 * latency counts.
 */
final class EqualWork {
  private static final int MAX_PERCENT = 95;
  private static final double MICRO = 1e3;
  private static final double NANOS_PER_MILLI = 1e6;

  /** If the compilers of either side use more than this, the measurement is repeated. */
  private static final double MAX_COMPILING_PERCENT = 1;

  /** A figure: CPU time of the client's compilers, in percent of a CPU. */
  static final String COMPILING = "clientCompilingPercent";

  /** A figure: 1 if the compilers of both sides became quiet, else 0. */
  static final String QUIET = "quiet";

  /** A figure: number of measurements until then. */
  static final String TRIES = "tries";

  private static final int MAX_TRIES = 5;

  /** How long new connections are used before the measurement. */
  private static final long SETTLE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--equal-work",
      paramLabel = "<percent>",
      split = ",",
      description =
          "rates of a second, open-loop measurement, with requests at random times: percentages"
              + " of the stock group's capacity; 0: none (default: ${DEFAULT-VALUE})")
  private List<Integer> shares = List.of(40, 60, 80);

  /** Capacity in answers per second, by reference. */
  private final Map<String, Double> capacities = new HashMap<>();

  private boolean missed;

  EqualWork() {}

  /** Measures nothing by default. Returns this. */
  EqualWork none() {
    shares = List.of(0);
    return this;
  }

  /** The checked shares, in percent; empty for no such measurement. */
  List<Integer> shares() {
    shares.forEach(s -> Checks.inRange(spec, "--equal-work", s, 0, MAX_PERCENT));
    return shares.stream().filter(s -> s > 0).toList();
  }

  /**
   * Measures a warm server.
   *
   * @param sample gets the figures
   * @param nanos how long each rate is measured
   */
  void measure(
      Map<String, Double> sample,
      Contender<?> contender,
      Server server,
      int connections,
      Supplier<? extends Dialogue> dialogues,
      long nanos)
      throws Exception {
    if (shares().isEmpty()) {
      return;
    }
    try (LoadClient client = new LoadClient(server.port(), connections, dialogues)) {
      client.count(Math.min(SETTLE_NANOS, nanos));
      if (contender.label().equals(contender.reference())
          && !capacities.containsKey(contender.reference())) {
        client.count(nanos); // warms up the client, too
        long start = System.nanoTime();
        double answers = client.count(nanos);
        double rate = Math.max(1, answers) * 1e9 / (System.nanoTime() - start);
        capacities.put(contender.reference(), rate);
      }
      Double capacity = capacities.get(contender.reference());
      if (capacity == null) {
        miss(contender);
        return;
      }
      for (int share : shares()) {
        double rate = capacity * share / 100;
        quiet(() -> measured(server, client, rate, nanos))
            .forEach((name, value) -> sample.put(figure(share, name), value));
      }
    }
  }

  private void miss(Contender<?> contender) {
    if (!missed) {
      missed = true;
      System.err.println(
          "left out: equal work: its rates are shares of the rate of "
              + contender.reference()
              + ", which does not take part");
    }
  }

  /**
   * Measures until neither client nor server compiles much meanwhile, or often enough: a new load
   * pattern makes the JVMs recompile code.
   */
  static Map<String, Double> quiet(Callable<Map<String, Double>> measurement) throws Exception {
    for (int i = 1; ; i++) {
      Map<String, Double> figures = measurement.call();
      boolean quiet = isQuiet(figures);
      if (quiet || i == MAX_TRIES) {
        figures.put(QUIET, quiet ? 1.0 : 0.0);
        figures.put(TRIES, (double) i);
        return figures;
      }
    }
  }

  private static boolean isQuiet(Map<String, Double> figures) {
    double server = figures.getOrDefault("c1Percent", 0.0) + figures.getOrDefault("c2Percent", 0.0);
    double client = figures.getOrDefault(COMPILING, 0.0);
    return Math.max(server, client) <= MAX_COMPILING_PERCENT;
  }

  private static Map<String, Double> measured(
      Server server, LoadClient client, double perSecond, long nanos)
      throws IOException, InterruptedException {
    long compiled = Compiling.millis();
    Meter meter = Meter.start(server);
    LoadClient.Result result = client.open(perSecond, nanos);
    Meter.Reading used = meter.stop();
    double compiling = (Compiling.millis() - compiled) * NANOS_PER_MILLI / used.nanos();
    Histogram times = result.open();
    double answers = Math.max(1, times.getTotalCount());
    Map<String, Double> figures = new HashMap<>();
    used.addCosts(figures, answers);
    used.addCpus(figures);
    figures.put(COMPILING, 100 * compiling);
    figures.put("askedPerSecond", perSecond);
    figures.put("perSecond", used.perSecond(answers));
    figures.put("p50Micros", times.getValueAtPercentile(50) / MICRO);
    figures.put("p99Micros", times.getValueAtPercentile(99) / MICRO);
    figures.put("p99.9Micros", times.getValueAtPercentile(99.9) / MICRO);
    figures.put("lateP99Micros", result.late().getValueAtPercentile(99) / MICRO);
    return figures;
  }

  /** The name of a figure at a share. */
  private static String figure(int share, String name) {
    return "at" + share + "." + name;
  }

  /** The table, with a line per configuration and share; empty if nothing was measured. */
  String table(Results results) {
    Results rows =
        results.references().values().stream()
            .distinct()
            .flatMap(reference -> shares().stream().map(s -> at(results.of(reference), s)))
            .reduce(Results::and)
            .orElse(results);
    if (shares().isEmpty() || rows.contenders().isEmpty()) {
      return "";
    }
    return "\n"
        + new ResultTable("equal work", rows)
            .median("requests/s", "perSecond", 0)
            .median("CPU µs/request", "serverCpuMicros", 2)
            .ratio("× stock", "serverCpuMicros")
            .range("serverCpuMicros")
            .median("p50 µs", "p50Micros", 0)
            .median("p99 µs", "p99Micros", 0)
            .ratio("× stock", "p99Micros")
            .median("p99.9 µs", "p99.9Micros", 0)
            .median("sent late p99 µs", "lateP99Micros", 0)
            .jvm()
            .share("quiet", QUIET)
            .median("server CPUs", "serverCpus", 2)
            .clients()
        + LEGEND;
  }

  private static Results at(Results results, int share) {
    return results.part(figure(share, ""), "", c -> c + " at " + share + " %");
  }

  private static final String LEGEND =
      """

      Equal work: all servers get the same rate of requests, at random times (open loop): a share of the
      stock group's rate in a closed loop of the same client. × stock: ratio of the figure on its left,
      sample by sample; less is better. p50 to p99.9: latency from the time at which a request was due.
      sent late: delay of the client itself. The client is one event loop of this process, with persistent
      connections; it shares the machine's CPUs with the server. If the compilers of client or server used
      more than 1 percent of a CPU, the measurement is repeated, up to four times; quiet: samples whose
      last measurement was below that.
      """;
}
