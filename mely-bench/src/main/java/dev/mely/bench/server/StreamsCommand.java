package dev.mely.bench.server;

import com.google.common.io.Closer;
import dev.mely.bench.BenchCommand;
import dev.mely.bench.Charts;
import dev.mely.bench.Environment;
import dev.mely.bench.Labels;
import dev.mely.bench.ResultFile;
import dev.mely.bench.ResultTable;
import dev.mely.bench.Results;
import dev.mely.bench.Retakes;
import dev.mely.bench.Score;
import dev.mely.bench.Spread;
import dev.mely.topology.AllowedCpus;
import io.netty.channel.epoll.Epoll;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** Compares what can run the streams of a single connection. */
@Command(
    name = "streams",
    description =
        "One connection with 100 requests under way, each with some work on the CPU, over HTTP/2"
            + " (the client is h2load, which must be installed) and over gRPC (the client is a JVM"
            + " of its own). Handlers run in the event loop of Netty's own group, in its executor"
            + " groups, in pools, in virtual threads (JDK 21 or later), and in colors. All servers"
            + " are started and warmed up first; then each is measured in turn, round by round.")
public final class StreamsCommand extends BenchCommand {
  private static final int MAX_CORES = 256;
  private static final int MAX_ROUNDS = 1_000;
  private static final int MAX_STREAMS = 10_000;
  private static final int MAX_MICROS = 1_000_000;
  private static final double MICROS_PER_MILLI = 1e3;

  private static final Score REQUESTS = new Score("requestsPerSecond", "requests/s", 1, 0, true);

  @Option(names = "--h2", description = "HTTP/2 only")
  private boolean h2;

  @Option(names = "--grpc", description = "gRPC only")
  private boolean grpc;

  @Option(
      names = "--servers",
      paramLabel = "<name>",
      split = ",",
      description =
          "what runs the handlers, names separated by commas; each protocol takes those that it has"
              + " (default: ${DEFAULT-VALUE})")
  private List<String> servers = Stream.of(Offload.values()).map(Offload::label).toList();

  @Option(
      names = "--work",
      paramLabel = "<µs>",
      split = ",",
      description = "work per request, one or several numbers (default: ${DEFAULT-VALUE})")
  private List<Integer> work = List.of(20, 100, 500);

  @Option(
      names = "--streams",
      paramLabel = "<n>",
      description = "requests under way at a time (default: ${DEFAULT-VALUE})")
  private int streams = 100;

  @Option(
      names = "--rounds",
      paramLabel = "<n>",
      description = "samples of each server and work (default: ${DEFAULT-VALUE})")
  private int rounds = 5;

  @Option(
      names = "--seconds",
      paramLabel = "<s>",
      description = "duration of a sample (default: ${DEFAULT-VALUE})")
  private double seconds = 2;

  @Option(
      names = "--warm-up",
      paramLabel = "<s>",
      description =
          "maximum warm-up of each server, with the least work: it ends when the compilers are"
              + " quiet and the CPU time per answer is stable (default: ${DEFAULT-VALUE})")
  private double warmUp = 40;

  @Option(
      names = "--cores",
      paramLabel = "<n>",
      description =
          "event loops, and threads of a pool (default: the CPUs that this process may use)")
  private int cores = AllowedCpus.system().recommendedWorkers();

  @Option(
      names = "--transport",
      paramLabel = "<name>",
      description = "nio or epoll (default: ${DEFAULT-VALUE})")
  private String transport = "nio";

  @Option(
      names = "--h2load",
      paramLabel = "<program>",
      description = "the load generator of HTTP/2 (default: ${DEFAULT-VALUE})")
  private String h2load = "h2load";

  @Option(
      names = "--jvm-arg",
      paramLabel = "<flag>",
      description = "a flag of all JVMs; may be repeated (default: ${DEFAULT-VALUE})")
  private List<String> jvmArgs = List.of("-Xms256m", "-Xmx256m");

  @Option(
      names = "--out",
      paramLabel = "<directory>",
      description =
          "where to write samples and pictures (default: mely-bench/target/streams, or streams)")
  private @Nullable Path out;

  @Mixin private Retakes retakes = new Retakes();

  @Override
  public Integer call() throws Exception {
    work.forEach(micros -> inRange("--work", micros, 1, MAX_MICROS));
    inRange("--streams", streams, 1, MAX_STREAMS);
    inRange("--rounds", rounds, 1, MAX_ROUNDS);
    inRange("--cores", cores, 1, MAX_CORES);
    nanos("--seconds", seconds);
    nanos("--warm-up", warmUp);
    List<Offload> offloads = offloads();
    Transport loops = transport();
    List<Protocol> protocols =
        h2 == grpc ? List.of(Protocol.values()) : List.of(h2 ? Protocol.H2 : Protocol.GRPC);
    Environment environment = Environment.of(cores, false, String.join(" ", jvmArgs));
    System.out.print(environment);
    System.out.printf(
        Locale.ROOT, "1 connection, %d streams, %d rounds of %.1f s%n", streams, rounds, seconds);
    for (Protocol protocol : protocols) {
      List<Offload> chosen = protocol.offloads().stream().filter(offloads::contains).toList();
      if (chosen.isEmpty()) {
        continue;
      }
      try (StreamsClient client = client(protocol)) {
        tell(
            new Results(
                "streams",
                protocol.label(),
                REQUESTS,
                references(chosen),
                environment.toMap(),
                measure(protocol, chosen, loops, client)));
      }
    }
    return 0;
  }

  /** The chosen ones; leaves out, with a message, those that this JDK lacks. */
  private List<Offload> offloads() {
    List<Offload> available = new ArrayList<>();
    List<Offload> known = List.of(Offload.values());
    for (Offload offload :
        Labels.parseAll(spec, servers, n -> Labels.parse("server", n, known, Offload::label))) {
      String unavailability = offload.unavailability();
      if (unavailability == null) {
        available.add(offload);
      } else {
        System.err.println("left out: " + offload.label() + ": " + unavailability);
      }
    }
    return available;
  }

  private Transport transport() {
    Transport chosen = Labels.parseAll(spec, List.of(transport), Transport::parse).get(0);
    if (!chosen.isAvailable()) {
      throw misuse("--transport " + transport + ": " + Epoll.unavailabilityCause().getMessage());
    }
    return chosen;
  }

  private StreamsClient client(Protocol protocol) throws IOException {
    if (protocol == Protocol.GRPC) {
      return new GrpcClient(jvmArgs);
    }
    try {
      return new H2load(h2load);
    } catch (IOException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }

  private static String name(int micros, Offload offload) {
    return micros + " µs " + offload.label();
  }

  private Map<String, String> references(List<Offload> chosen) {
    Map<String, String> references = new LinkedHashMap<>();
    for (int micros : work) {
      chosen.forEach(o -> references.put(name(micros, o), name(micros, Offload.STOCK)));
    }
    return references;
  }

  /** Starts all servers, warms them up, and measures each in turn. */
  private Map<String, List<Map<String, Double>>> measure(
      Protocol protocol, List<Offload> chosen, Transport loops, StreamsClient client)
      throws Exception {
    Map<String, Callable<Map<String, Double>>> takers = new LinkedHashMap<>();
    try (Closer running = Closer.create()) {
      Map<Offload, Server> started = new LinkedHashMap<>();
      Map<Offload, Map<String, Double>> warm = new LinkedHashMap<>();
      int least = work.stream().min(Integer::compare).orElseThrow();
      for (Offload offload : chosen) {
        StreamsSetup setup = new StreamsSetup(protocol, offload, loops, cores);
        Server server = ServerProcess.start(StreamsMain.class, setup, jvmArgs);
        running.register(server::close);
        started.put(offload, server);
        warm.put(offload, new LinkedHashMap<>());
        System.err.println("warm-up: " + protocol.label() + " " + offload.label());
        WarmUp.run(
            server,
            nanos -> run(client, server, least, nanos).requests(),
            nanos("--warm-up", warmUp),
            warm.get(offload));
      }
      for (int micros : work) {
        started.forEach(
            (offload, server) ->
                takers.put(
                    name(micros, offload),
                    () -> {
                      Map<String, Double> sample = new LinkedHashMap<>(warm.get(offload));
                      sample(client, server, micros, sample);
                      return sample;
                    }));
      }
      return retakes.inTurn("streams " + protocol.label(), rounds, takers);
    }
  }

  private StreamsClient.Result run(StreamsClient client, Server server, int micros, long nanos)
      throws IOException, InterruptedException {
    return client.run(new StreamsClient.Load(server.port(), streams, micros, nanos));
  }

  private void sample(StreamsClient client, Server server, int micros, Map<String, Double> sample)
      throws IOException, InterruptedException {
    Meter meter = Meter.start(server);
    StreamsClient.Result result = run(client, server, micros, nanos("--seconds", seconds));
    Meter.Reading used = meter.stop(result.cpuNanos());
    if (result.requests() == 0) {
      throw new IOException("nothing is answered");
    }
    sample.put("requestsPerSecond", result.requests() / seconds);
    sample.put("p50Millis", result.p50() / MICROS_PER_MILLI);
    sample.put("p99Millis", result.p99() / MICROS_PER_MILLI);
    used.addCosts(sample, (double) result.requests());
    used.addCpus(sample);
  }

  /** Prints the table, and writes the samples and the pictures. */
  private void tell(Results results) {
    System.out.println();
    System.out.println(results.title());
    System.out.print(table(results));
    Path directory = out != null ? out : ResultFile.directory("streams");
    Path file = directory.resolve(results.fileName() + ".json");
    System.out.println("Samples: " + ResultFile.write(file, results));
    draw(results, directory, "requestsPerSecond", "requests/s, × stock");
    draw(results, directory, "p99Millis", "p99, × stock (less is better)");
  }

  /** Draws the ratios of a figure, and prints the files; does nothing without ratios. */
  private static void draw(Results results, Path directory, String figure, String unit) {
    Set<String> works = new LinkedHashSet<>();
    Map<String, List<Spread>> series = new LinkedHashMap<>();
    results
        .references()
        .forEach(
            (name, reference) -> {
              Spread ratio = results.ratio(name, figure);
              if (!name.equals(reference) && Double.isFinite(ratio.median())) {
                int server = name.lastIndexOf(' ');
                works.add(name.substring(0, server));
                series
                    .computeIfAbsent(name.substring(server + 1), s -> new ArrayList<>())
                    .add(ratio);
              }
            });
    if (!series.isEmpty()) {
      String file = results.fileName() + "-" + figure;
      Charts.write(
              () -> Charts.bars(results.title(), unit, List.copyOf(works), series), directory, file)
          .forEach(picture -> System.out.println("Picture: " + picture));
    }
  }

  /** The table and its legend. */
  static String table(Results results) {
    return new ResultTable("work and server", results)
            .score()
            .median("p50 ms", "p50Millis", 2)
            .ratio("× stock", "p50Millis")
            .median("p99 ms", "p99Millis", 2)
            .ratio("× stock", "p99Millis")
            .range("p99Millis")
            .median("CPU µs/request", "serverCpuMicros", 1)
            .median("switches/request", "switches", 3)
            .median("steals/1000", "stealsPerThousand", 0)
            .median("server CPUs", "serverCpus", 2)
            .cpus()
        + """

        Medians of the rounds. × stock: ratio to the same work in the event loop of Netty's own group (gRPC:
        with directExecutor), round by round, with its range; of p50 and p99 less is better. p50, p99: latency
        in a closed loop. The work does not include what the protocol costs.
        """
        + ResultTable.CPUS_LEGEND;
  }
}
