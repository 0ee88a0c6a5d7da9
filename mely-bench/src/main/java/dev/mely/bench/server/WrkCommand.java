package dev.mely.bench.server;

import dev.mely.bench.Checks;
import dev.mely.bench.Results;
import dev.mely.bench.SampleTime;
import dev.mely.bench.Score;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What the comparisons have in common whose load {@link Wrk} makes. */
abstract class WrkCommand implements Callable<Integer> {
  private static final int MAX_CONNECTIONS = 8_000;
  private static final int SAMPLES = 5;
  private static final double SECONDS = 5;

  private static final double WARM_UP_SECONDS = 60;

  @Spec private CommandSpec spec = CommandSpec.create();

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

  @Mixin private Comparison comparison;

  @Mixin private SampleTime time = new SampleTime(SECONDS, WARM_UP_SECONDS);

  @Mixin private EqualWork equalWork;

  private final Score score;
  private final Service service;
  private final Site site;

  /**
   * @param connections how many clients there are by default
   * @param score by which to compare
   * @param service what is compared
   * @param site what it serves
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

  /** As above, with other defaults of what takes part. */
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

  /** The table, and what it means. */
  abstract String table(Results results);

  /** Adds what else is to be known of a sample whose load has just ended. */
  void addMore(Map<String, Double> sample, Server server) throws IOException {}

  /** Is told of the results when they have been printed. */
  void finished(Results results) {}

  /** After how many requests, on average, a connection is closed, checked; 0: never. */
  int requestsPerConnection() {
    return 0;
  }

  /** The servers of a side: one, unless it is to be had in several ways. */
  List<Web> servers(Side s, int clients, Path files) {
    return List.of(
        new Web(
            s.label(),
            s.reference(),
            clients,
            c -> c.serve(s.service(), s.transport(), s.group(), files)));
  }

  /**
   * Servers beside those on the two groups.
   *
   * @param load the beginning of their names
   */
  List<Web> peers(String load, int clients, Path files) {
    return List.of();
  }

  /**
   * A server with its load.
   *
   * @param connections of wrk
   * @param starter starts the server
   */
  record Web(String label, String reference, int connections, Starter starter)
      implements Contender {
    interface Starter {
      Server start(Comparison comparison) throws IOException;
    }

    @Override
    public Server start(Comparison comparison) throws IOException {
      return starter.start(comparison);
    }
  }

  @Override
  public Integer call() throws Exception {
    connections.forEach(n -> Checks.inRange(spec, "--connections", n, 1, MAX_CONNECTIONS));
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
      delete(directory);
    }
    return 0;
  }

  private void compare(Wrk loader, Path files, int warmUp, int seconds) throws Exception {
    List<Web> contenders = contenders(files);
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
            contenders,
            (web, server) -> {
              Map<String, Double> sample = sample(web, server, loader, warmUp, seconds);
              long nanos = TimeUnit.SECONDS.toNanos(seconds);
              equalWork.measure(sample, web, server, web.connections, dialogues, nanos);
              return sample;
            });
    System.out.println();
    System.out.print(table(results));
    System.out.print(equalWork.table(results));
    System.out.println("Samples: " + comparison.write(results));
    finished(results);
  }

  private int whole(String option, double seconds) {
    if (seconds < 1 || seconds != Math.rint(seconds)) {
      throw new ParameterException(
          spec.commandLine(), option + " must be whole seconds for wrk, but is " + seconds);
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

  private List<Web> contenders(Path files) {
    List<Web> contenders = new ArrayList<>();
    for (int n : connections) {
      String load = n + " connections";
      for (Side s : comparison.sides(load, service)) {
        contenders.addAll(servers(s, n, files));
      }
      contenders.addAll(peers(load, n, files));
    }
    return contenders;
  }

  private static void delete(Path directory) throws IOException {
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    }
  }

  private Map<String, Double> sample(Web web, Server server, Wrk loader, int warmUp, int seconds)
      throws IOException, InterruptedException {
    Map<String, Double> sample = new LinkedHashMap<>();
    WarmUp.runSeconds(
        server,
        nanos ->
            loader
                .run(server.port(), web.connections, (int) TimeUnit.NANOSECONDS.toSeconds(nanos))
                .requests(),
        warmUp,
        sample);
    server.footprint(); // of the warm-up
    Meter meter = Meter.start(server);
    Wrk.Result result = loader.run(server.port(), web.connections, seconds);
    Meter.Reading used = meter.stop(result.cpuMicros() * 1_000);
    if (result.requests() == 0 || result.bytes() < result.requests() * site.leastBytes()) {
      throw new IOException(web.label + " does not serve the files: " + result);
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
    addMore(sample, server);
    return sample;
  }
}
