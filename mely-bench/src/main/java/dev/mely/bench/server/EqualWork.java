package dev.mely.bench.server;

import dev.mely.bench.Checks;
import dev.mely.bench.Compiling;
import dev.mely.bench.Results;
import dev.mely.bench.Table;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
          "rates of a second measurement, at which requests are due whatever the server does: shares of "
              + "what the stock group can answer; 0: none (default: ${DEFAULT-VALUE})")
  private List<Integer> shares = List.of(40, 60, 80);

  /** Answers per second by reference. */
  private final Map<String, Double> capacities = new HashMap<>();

  private boolean missed;

  /** One look at a load: its figures, which may be added to. */
  @FunctionalInterface
  interface Measurement {
    Map<String, Double> take() throws IOException, InterruptedException;
  }

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
      Contender contender,
      Server server,
      int connections,
      Supplier<? extends Dialogue> dialogues,
      long nanos)
      throws IOException, InterruptedException {
    if (shares().isEmpty()) {
      return;
    }
    try (LoadClient client = new LoadClient(server.port(), connections, dialogues)) {
      client.closed(Math.min(SETTLE_NANOS, nanos));
      if (contender.label().equals(contender.reference())
          && !capacities.containsKey(contender.reference())) {
        client.closed(nanos); // the client compiles, too, the first time
        long start = System.nanoTime();
        double answers = client.closed(nanos);
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

  private void miss(Contender contender) {
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
  static Map<String, Double> quiet(Measurement measurement)
      throws IOException, InterruptedException {
    for (int i = 1; ; i++) {
      Map<String, Double> figures = measurement.take();
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
    Histogram times = result.times();
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
    Table table =
        new Table(
            "equal work",
            "requests/s",
            "CPU µs/request",
            "× stock",
            "range",
            "p50 µs",
            "p99 µs",
            "× stock",
            "p99.9 µs",
            "sent late p99 µs",
            "C1 %",
            "C2 %",
            "GC %",
            "quiet",
            "server CPUs",
            "client CPUs",
            "others CPUs");
    boolean any = false;
    Set<String> references = new LinkedHashSet<>(results.references().values());
    for (String reference : references) {
      for (int share : shares()) {
        for (String c : results.contenders()) {
          boolean measured = Double.isFinite(results.median(c, figure(share, "perSecond")));
          if (measured && reference.equals(results.references().get(c))) {
            table.add(row(results, c, share));
            any = true;
          }
        }
      }
    }
    return any ? "\n" + table + LEGEND : "";
  }

  private static String[] row(Results results, String c, int share) {
    List<String> row = new ArrayList<>();
    row.add(c + " at " + share + " %");
    row.add(number(results, c, share, "perSecond", 0));
    row.add(number(results, c, share, "serverCpuMicros", 2));
    row.add(Table.number(results.ratio(c, figure(share, "serverCpuMicros")).median(), 2));
    row.add(results.ratio(c, figure(share, "serverCpuMicros")).range(2));
    row.add(number(results, c, share, "p50Micros", 0));
    row.add(number(results, c, share, "p99Micros", 0));
    row.add(Table.number(results.ratio(c, figure(share, "p99Micros")).median(), 2));
    row.add(number(results, c, share, "p99.9Micros", 0));
    row.add(number(results, c, share, "lateP99Micros", 0));
    row.add(number(results, c, share, "c1Percent", 1));
    row.add(number(results, c, share, "c2Percent", 1));
    row.add(number(results, c, share, "gcPercent", 1));
    row.add(ComparisonTable.of(results.figure(c, figure(share, QUIET))));
    row.add(number(results, c, share, "serverCpus", 2));
    row.add(number(results, c, share, "clientCpus", 2));
    row.add(number(results, c, share, Meter.OTHERS, 2));
    return row.toArray(new String[0]);
  }

  private static String number(Results results, String c, int share, String name, int decimals) {
    return Table.number(results.median(c, figure(share, name)), decimals);
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
