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
 * The same rate of requests for everybody: in a closed loop the faster server is also asked more.
 * The rates are shares of what Netty's own group can answer, which its first sample finds out, with
 * the same client; requests are due at random times, and latency counts from then.
 */
final class EqualWork {
  private static final int MAX_PERCENT = 95;
  private static final double MICRO = 1e3;
  private static final double NANOS_PER_MILLI = 1e6;

  /** So much of a CPU the compilers of either side may take; else it is measured again. */
  private static final double MAX_COMPILING_PERCENT = 1;

  /** A figure: what the client's compilers took, in percent of a CPU. */
  static final String COMPILING = "clientCompilingPercent";

  /** A figure: 1 if the compilers of both sides were quiet in the end, else 0. */
  static final String QUIET = "quiet";

  /** A figure: how often it was measured until then. */
  static final String TRIES = "tries";

  private static final int MAX_TRIES = 5;

  /** How long new connections are used before anything is measured. */
  private static final long SETTLE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--equal-work",
      paramLabel = "<percent>",
      split = ",",
      description =
          "rates of a second measurement, at which requests are due whatever the server does:"
              + " shares of what the stock group can answer; 0: none (default: ${DEFAULT-VALUE})")
  private List<Integer> shares = List.of(40, 60, 80);

  /** Answers per second by reference. */
  private final Map<String, Double> capacities = new HashMap<>();

  private boolean missed;

  EqualWork() {}

  /** Measures nothing by default. Returns this. */
  EqualWork none() {
    shares = List.of(0);
    return this;
  }

  /** The checked shares, in percent; none if there is to be no such measurement. */
  List<Integer> shares() {
    shares.forEach(s -> Checks.inRange(spec, "--equal-work", s, 0, MAX_PERCENT));
    return shares.stream().filter(s -> s > 0).toList();
  }

  /**
   * Measures a server that is warm.
   *
   * @param sample where to leave the figures
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
        client.count(nanos); // the client compiles, too, the first time
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
          "left out: equal work: its rates are shares of what "
              + contender.reference()
              + " can answer, which does not take part");
    }
  }

  /**
   * Measures until neither the client nor the server compiles much meanwhile, or often enough: each
   * meets the other's ways, and this rate, for the first time, and is compiled anew for them.
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

  /** The table, a line per contender and share; empty if nothing was measured. */
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

      Equal work: everybody is asked at the same rate, at random times, a share of what the stock group
      answers in a closed loop of the same client. × stock: ratio of the figure on its left, sample by
      sample; less is better. p50 to p99.9: from the time at which a request was due, whatever it had to
      wait for. sent late: how late the client itself was. The client is one event loop of this process, on
      connections that stay; it shares the machine's CPUs with the server. A measurement while which the
      compilers of either took more than 1 percent of a CPU is made again, up to four times; quiet: samples
      in which they did not, in the end.
      """;
}
