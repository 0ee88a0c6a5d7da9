package dev.mely.bench.server;

import dev.mely.bench.Checks;
import dev.mely.bench.Results;
import dev.mely.bench.SampleTime;
import dev.mely.bench.Score;
import dev.mely.bench.Versions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Compares web servers that serve small files. */
@Command(
    name = "sws",
    description =
        "SWS, the web server of mely-examples, on Netty's own group and on Mely's, and nginx beside them "
            + "if it is installed: files of 1 KB, 150 requests a connection. The client is wrk, which must "
            + "be installed, with one thread; it shares the machine's CPUs with the server.",
    mixinStandardHelpOptions = true,
    versionProvider = Versions.class,
    sortOptions = false)
public final class SwsCommand implements Callable<Integer> {
  private static final int MAX_CONNECTIONS = 8_000;
  private static final int FILES = 100;
  private static final int FILE_BYTES = 1_024;
  private static final int SAMPLES = 5;
  private static final double SECONDS = 5;

  /** A JVM that shares two CPUs with wrk compiles for most of this. */
  private static final double WARM_UP_SECONDS = 10;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--connections",
      paramLabel = "<n>",
      split = ",",
      description = "clients, one or several numbers (default: ${DEFAULT-VALUE})")
  private List<Integer> connections = List.of(200);

  @Option(
      names = "--requests",
      paramLabel = "<n>",
      description =
          "requests a connection, on average; 0: connections stay (default: ${DEFAULT-VALUE})")
  private int requests = 150;

  @Option(
      names = "--wrk",
      paramLabel = "<program>",
      description = "the load generator (default: ${DEFAULT-VALUE})")
  private String wrk = "wrk";

  @Option(
      names = "--nginx",
      paramLabel = "<program>",
      description = "left out with a word if there is none (default: ${DEFAULT-VALUE})")
  private String nginx = "nginx";

  @Mixin private Comparison comparison = new Comparison(SAMPLES, "nio", "epoll");

  @Mixin private SampleTime time = new SampleTime(SECONDS, WARM_UP_SECONDS, 1, 1);

  /**
   * A server with its load.
   *
   * @param connections of wrk
   * @param starter starts the server
   */
  private record Web(String label, String reference, int connections, Starter starter)
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
    Checks.inRange(spec, "--requests", requests, 0, Integer.MAX_VALUE);
    boolean quick = comparison.quick();
    int seconds = whole("--time", time.seconds(quick));
    int warmUp = whole("--warm-up", time.warmUpSeconds(quick));
    Path directory = Files.createTempDirectory("mely-sws");
    try {
      compare(loader(directory), writeFiles(directory), warmUp, seconds);
    } finally {
      delete(directory);
    }
    return 0;
  }

  private void compare(Wrk loader, Path files, int warmUp, int seconds) throws Exception {
    List<Web> contenders = contenders(files);
    System.out.print(comparison.environment());
    System.out.printf(
        "%d samples of %d s each, after %d s of warm-up%n", comparison.samples(), seconds, warmUp);
    Score score = new Score("requestsPerSecond", "K requests/s", 1e3, 1, true);
    Results results =
        comparison.run(
            "sws",
            score,
            contenders,
            (web, server) -> sample(web, server, loader, warmUp, seconds));
    System.out.println();
    System.out.print(report(results));
    System.out.println("Samples: " + comparison.write(results));
  }

  private int whole(String option, double seconds) {
    if (seconds < 1 || seconds != Math.rint(seconds)) {
      throw new ParameterException(
          spec.commandLine(), option + " must be whole seconds for wrk, but is " + seconds);
    }
    return (int) seconds;
  }

  private Wrk loader(Path directory) {
    try {
      return new Wrk(wrk, directory, requests);
    } catch (IOException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }

  private List<Web> contenders(Path files) {
    boolean beside = Nginx.isInstalled(nginx);
    if (!beside) {
      System.err.println("left out: nginx: there is no program '" + nginx + "'");
    }
    List<Web> contenders = new ArrayList<>();
    for (int n : connections) {
      String load = n + " connections";
      for (Side s : comparison.sides(load, Service.SWS)) {
        contenders.add(
            new Web(
                s.label(),
                s.reference(),
                n,
                c -> c.serve(s.service(), s.transport(), s.group(), files)));
      }
      if (beside) {
        String reference = new Side(load, Service.SWS, Transport.EPOLL, Group.STOCK).label();
        contenders.add(
            new Web(load + " nginx", reference, n, c -> Nginx.start(nginx, c.cores(), files)));
      }
    }
    return contenders;
  }

  private static Path writeFiles(Path directory) throws IOException {
    Path files = Files.createDirectory(directory.resolve("files"));
    SplittableRandom random = new SplittableRandom(FILES);
    for (int i = 0; i < FILES; i++) {
      byte[] content = new byte[FILE_BYTES];
      random.nextBytes(content);
      Files.write(files.resolve(i + ".bin"), content);
    }
    return files;
  }

  private static void delete(Path directory) throws IOException {
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    }
  }

  private static Map<String, Double> sample(
      Web web, Server server, Wrk loader, int warmUp, int seconds)
      throws IOException, InterruptedException {
    loader.run(server.port(), FILES, web.connections, warmUp);
    Meter meter = Meter.start(server);
    Wrk.Result result = loader.run(server.port(), FILES, web.connections, seconds);
    Meter.Reading used = meter.stop(result.cpuMicros() * 1_000);
    if (result.requests() == 0 || result.bytes() < result.requests() * FILE_BYTES) {
      throw new IOException(web.label + " does not serve the files: " + result);
    }
    Map<String, Double> sample = new LinkedHashMap<>();
    sample.put("requestsPerSecond", result.requests() * 1e6 / result.micros());
    sample.put("p50Millis", result.p50() / 1e3);
    sample.put("p90Millis", result.p90() / 1e3);
    sample.put("p99Millis", result.p99() / 1e3);
    sample.put("p99.9Millis", result.p999() / 1e3);
    sample.put("failed", (double) result.failed());
    used.addCosts(sample, (double) result.requests());
    used.addCpus(sample);
    return sample;
  }

  /** The table: each row's reference is SWS on the stock group with as many connections. */
  static String report(Results results) {
    return new ComparisonTable("load and server", results)
            .median("p50 ms", "p50Millis", 2)
            .median("p90 ms", "p90Millis", 2)
            .median("p99 ms", "p99Millis", 2)
            .median("p99.9 ms", "p99.9Millis", 2)
            .median("CPU µs/request", "serverCpuMicros", 2)
            .median("switches/request", "switches", 3)
            .median("steals/1000", "stealsPerThousand", 2)
            .median("failed", "failed", 0)
            .median("client CPUs", "clientCpus", 2)
            .median("others CPUs", Meter.OTHERS, 2)
        + """

        Medians of the samples. × stock: ratio to SWS on Netty's own group with as many connections, on the
        same transport, of nginx on epoll; sample by sample, with its range. p50 to p99.9: latency in a closed
        loop, as wrk has it. CPU, switches: of the server's processes. failed: requests without an answer, or
        with an error. client CPUs: what wrk used of the CPUs that it shares with the server;
        others CPUs: what all other processes did.
        """;
  }
}
