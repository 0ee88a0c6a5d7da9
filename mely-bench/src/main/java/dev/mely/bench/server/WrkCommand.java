package dev.mely.bench.server;

import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import dev.mely.bench.BenchCommand;
import dev.mely.bench.ResultTable;
import dev.mely.bench.Results;
import dev.mely.bench.SampleTime;
import dev.mely.bench.Score;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** Common part of the comparisons with a load from {@link Wrk}. */
abstract class WrkCommand extends BenchCommand {
  private static final int MAX_CONNECTIONS = 8_000;
  private static final int SAMPLES = 5;
  private static final double SECONDS = 5;

  private static final double WARM_UP_SECONDS = 60;

  @Option(
      names = "--connections",
      paramLabel = "<n>",
      split = ",",
      description = "clients, one or several numbers (default: ${DEFAULT-VALUE})")
  private List<Integer> connections;

  @Option(
      names = "--wrk",
      paramLabel = "<program>",
      description = "the load generator (default: ${DEFAULT-VALUE})")
  private String wrk = "wrk";

  @Mixin final Comparison comparison;

  @Mixin private SampleTime time = new SampleTime(SECONDS, WARM_UP_SECONDS);

  @Mixin private EqualWork equalWork;

  private final Score score;
  private final Service service;
  private final Site site;

  /**
   * @param connections default number of clients
   * @param score the figure to compare
   * @param service of the servers
   * @param site what they serve
   */
  WrkCommand(int connections, Score score, Service service, Site site) {
    this(
        List.of(connections),
        score,
        service,
        site,
        new Comparison(SAMPLES, "nio", "epoll"),
        new EqualWork());
  }

  /** As above, with other default contenders. */
  WrkCommand(
      List<Integer> connections,
      Score score,
      Service service,
      Site site,
      Comparison comparison,
      EqualWork equalWork) {
    this.connections = connections;
    this.comparison = comparison;
    this.equalWork = equalWork;
    this.score = score;
    this.service = service;
    this.site = site;
  }

  /** The table and its legend. */
  abstract String table(Results results);

  /** Called with the results after they have been printed. */
  void finished(Results results) {}

  /** The checked mean number of requests after which a connection is closed; 0: never. */
  int requestsPerConnection() {
    return 0;
  }

  /** The contenders of a side: one, unless a command has several variants. */
  List<Contender<Integer>> servers(Side side, int clients, Path files) {
    return List.of(side.with(clients, () -> comparison.serve(side, files, List.of())));
  }

  /**
   * Further servers, beside those on the event loop groups.
   *
   * @param load prefix of their names
   */
  List<Contender<Integer>> peers(String load, int clients, Path files) {
    return List.of();
  }

  @Override
  public Integer call() throws Exception {
    connections.forEach(n -> inRange("--connections", n, 1, MAX_CONNECTIONS));
    connections.forEach(n -> Descriptors.check(spec, "--connections", n, Descriptors.limit()));
    int perConnection = requestsPerConnection();
    boolean quick = comparison.quick();
    int seconds = whole("--time", time.seconds(quick));
    int warmUp = whole("--warm-up", time.warmUpSeconds(quick));
    equalWork.shares();
    Path directory = Files.createTempDirectory("mely-" + spec.name());
    try {
      Wrk loader = loader(directory, perConnection);
      Path files = Files.createDirectory(directory.resolve("files"));
      site.write(files);
      compare(loader, files, warmUp, seconds);
    } finally {
      MoreFiles.deleteRecursively(directory, RecursiveDeleteOption.ALLOW_INSECURE);
    }
    return 0;
  }

  private void compare(Wrk loader, Path files, int warmUp, int seconds) throws Exception {
    System.out.print(comparison.environment());
    System.out.printf(
        Locale.ROOT,
        "%d samples of %d s each, after %d s of warm-up at most%n",
        comparison.samples(),
        seconds,
        warmUp);
    Supplier<Dialogue> dialogues = HttpDialogue.of(site);
    Results results =
        comparison.run(
            spec.name(),
            score,
            contenders(files),
            (web, server) -> {
              Map<String, Double> sample = sample(web, server, loader, warmUp, seconds);
              long nanos = TimeUnit.SECONDS.toNanos(seconds);
              equalWork.measure(sample, web, server, web.load(), dialogues, nanos);
              return sample;
            });
    comparison.tell(results, table(results) + equalWork.table(results));
    finished(results);
  }

  private int whole(String option, double seconds) {
    if (seconds < 1 || seconds != Math.rint(seconds)) {
      throw misuse(option + " must be whole seconds for wrk, but is " + seconds);
    }
    return (int) seconds;
  }

  private Wrk loader(Path directory, int perConnection) {
    try {
      return new Wrk(wrk, directory, site, perConnection);
    } catch (IOException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }

  private List<Contender<Integer>> contenders(Path files) {
    List<Contender<Integer>> contenders = new ArrayList<>();
    for (int n : connections) {
      String load = n + " connections";
      for (Side s : comparison.sides(load, service)) {
        contenders.addAll(servers(s, n, files));
      }
      contenders.addAll(peers(load, n, files));
    }
    return contenders;
  }

  private Map<String, Double> sample(
      Contender<Integer> web, Server server, Wrk loader, int warmUp, int seconds)
      throws IOException, InterruptedException {
    Map<String, Double> sample = new LinkedHashMap<>();
    WarmUp.run(
        server,
        nanos -> {
          int whole = (int) Math.max(1, TimeUnit.NANOSECONDS.toSeconds(nanos));
          return loader.run(server.port(), web.load(), whole).requests();
        },
        TimeUnit.SECONDS.toNanos(warmUp),
        sample);
    Meter meter = Meter.start(server);
    Wrk.Result result = loader.run(server.port(), web.load(), seconds);
    Meter.Reading used = meter.stop(result.cpuMicros() * 1_000);
    if (result.requests() == 0 || result.bytes() < result.requests() * site.leastBytes()) {
      throw new IOException(web.label() + " does not serve the files: " + result);
    }
    sample.put("requestsPerSecond", result.requests() * 1e6 / result.micros());
    sample.put("megabytesPerSecond", (double) result.bytes() / result.micros());
    sample.put("p50Millis", result.p50() / 1e3);
    sample.put("p90Millis", result.p90() / 1e3);
    sample.put("p99Millis", result.p99() / 1e3);
    sample.put("p99.9Millis", result.p999() / 1e3);
    sample.put("failed", (double) result.failed());
    used.addCosts(sample, (double) result.requests());
    used.addCpus(sample);
    return sample;
  }

  /** Explains each row's reference and the common columns. */
  static final String LEGEND =
      """

      Medians of the samples. × stock: ratio to the same load on Netty's own group on the same transport (of
      nginx: on epoll), sample by sample, with its range. p50 to p99.9: latency in a closed loop, as reported
      by wrk. CPU, switches: CPU time and context switches of the server's processes. steal µs: cost of a
      steal for the thief; stolen µs: processing time of the stolen color directly after the steal. failed:
      requests without an answer, or with an error.
      """
          + ResultTable.CPUS_LEGEND;

  /** Adds the common columns after the first figures. */
  static ResultTable addCosts(ResultTable table) {
    return table
        .median("p50 ms", "p50Millis", 2)
        .median("p90 ms", "p90Millis", 2)
        .median("p99 ms", "p99Millis", 2)
        .median("p99.9 ms", "p99.9Millis", 2)
        .median("CPU µs/request", "serverCpuMicros", 2)
        .median("switches/request", "switches", 3)
        .median("steals/1000", "stealsPerThousand", 2)
        .median("steal µs", "stealMicros", 2)
        .median("stolen µs", "stolenMicros", 2)
        .median("failed", "failed", 0)
        .cpus();
  }
}
