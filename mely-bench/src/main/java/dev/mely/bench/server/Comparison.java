package dev.mely.bench.server;

import dev.mely.bench.Checks;
import dev.mely.bench.Environment;
import dev.mely.bench.Labels;
import dev.mely.bench.ResultFile;
import dev.mely.bench.Results;
import dev.mely.bench.Retakes;
import dev.mely.bench.Score;
import dev.mely.topology.AllowedCpus;
import io.netty.channel.epoll.Epoll;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * Common part of the comparisons of servers: options, and interleaved samples, each with its server
 * in a fresh JVM.
 */
final class Comparison {
  private static final int MAX_CORES = 256;
  private static final int MAX_SAMPLES = 1_000;
  private static final int QUICK_SAMPLES = 2;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec = CommandSpec.create();

  @Option(names = "--quick", description = "a quick, rough run: 2 short samples")
  private boolean quick;

  @Option(
      names = "--samples",
      paramLabel = "<n>",
      description =
          "samples, each with a server in a fresh JVM, per configuration (default: 5; of startup"
              + " 2)")
  private @Nullable Integer samples;

  @Option(
      names = "--cores",
      paramLabel = "<n>",
      description = "event loops (default: the CPUs that this process may use)")
  private @Nullable Integer cores;

  @Option(
      names = "--pinned",
      description = "pin Mely's workers to CPUs, which they share with the client")
  private boolean pinned;

  @Option(
      names = "--transports",
      paramLabel = "<name>",
      split = ",",
      description = "nio, epoll, or both, separated by a comma (default: ${DEFAULT-VALUE})")
  private List<String> transports;

  @Option(
      names = "--groups",
      paramLabel = "<name>",
      split = ",",
      description =
          "stock, mely, mely-off, mely-bound (reads wait while a core has 16 MiB of live buffers),"
              + " separated by commas (default: ${DEFAULT-VALUE})")
  private List<String> groups = List.of("stock", "mely", "mely-off");

  @Option(
      names = "--jvm-arg",
      paramLabel = "<flag>",
      description = "a flag of the servers' JVMs; may be repeated (default: ${DEFAULT-VALUE})")
  private List<String> jvmArgs = List.of("-Xms256m", "-Xmx256m");

  /** JVM flags of the servers that the benchmark itself needs. */
  private final List<String> flags = new ArrayList<>();

  @Option(
      names = "--json",
      paramLabel = "<file>",
      description = "where to write the samples (default: a file in mely-bench/target)")
  private @Nullable Path json;

  private final int usual;

  /** Transports that are left out, each reported once. */
  private final Set<Transport> missing = EnumSet.noneOf(Transport.class);

  @Mixin private Retakes retakes = new Retakes();

  /**
   * @param usual default number of samples
   * @param transports the default transports
   */
  Comparison(int usual, String... transports) {
    this.usual = usual;
    this.transports = List.of(transports);
  }

  /** Sets the default groups. Returns this. */
  Comparison among(String... names) {
    groups = List.of(names);
    return this;
  }

  /** Takes one sample. */
  @FunctionalInterface
  interface Taker<L> {
    /** Loads a running server. */
    Map<String, Double> take(Contender<L> contender, Server server) throws Exception;
  }

  /** Whether a quick, rough run was chosen. */
  boolean quick() {
    return quick;
  }

  /** The checked number of event loops. */
  int cores() {
    int n = cores != null ? cores : AllowedCpus.system().recommendedWorkers();
    return Checks.inRange(spec, "--cores", n, 1, MAX_CORES);
  }

  /** The checked number of samples per configuration. */
  int samples() {
    int n = samples != null ? samples : quick ? QUICK_SAMPLES : usual;
    return Checks.inRange(spec, "--samples", n, 1, MAX_SAMPLES);
  }

  /** The chosen transports; leaves out, with a message, those not available here. */
  List<Transport> transports() {
    List<Transport> available = new ArrayList<>();
    for (Transport transport : Labels.parseAll(spec, transports, Transport::parse)) {
      if (transport.isAvailable()) {
        available.add(transport);
      } else if (missing.add(transport)) {
        System.err.println(
            "left out: " + transport.label() + ": " + Epoll.unavailabilityCause().getMessage());
      }
    }
    return available;
  }

  /** The chosen groups. */
  List<Group> groups() {
    return Labels.parseAll(spec, groups, Group::parse);
  }

  /** A side for each of the chosen transports and groups, in order. */
  List<Side> sides(String load, Service service) {
    List<Side> sides = new ArrayList<>();
    List<Group> chosen = groups();
    for (Transport transport : transports()) {
      chosen.forEach(group -> sides.add(new Side(load, service, transport, group)));
    }
    return sides;
  }

  /** As above, as contenders with a load; for services without files. */
  <L> List<Contender<L>> contenders(String name, Service service, L load) {
    return sides(name, service).stream()
        .map(side -> side.with(load, () -> serve(side, null, List.of())))
        .toList();
  }

  /** A flag for the JVM of each server. */
  void flag(String flag) {
    flags.add(flag);
  }

  /** Describes the run. */
  Environment environment() {
    return Environment.of(cores(), pinned, String.join(" ", jvmArgs));
  }

  /**
   * Starts a server in a fresh JVM.
   *
   * @param files what a web server serves
   * @param flags of the JVM, in addition to the chosen ones
   */
  Server serve(Side side, @Nullable Path files, List<String> flags) throws IOException {
    List<String> all = new ArrayList<>(jvmArgs);
    all.addAll(this.flags);
    all.addAll(flags);
    return ServerProcess.start(
        new ServerSetup(
            side.service(),
            side.group(),
            side.transport(),
            cores(),
            pinned,
            files == null ? null : files.toString()),
        all);
  }

  /**
   * Takes all samples, interleaved.
   *
   * @param name of the benchmark
   * @param score the figure to compare
   * @param contenders what to compare
   * @return the samples
   */
  <L> Results run(String name, Score score, List<Contender<L>> contenders, Taker<L> taker)
      throws Exception {
    Map<String, String> references = new LinkedHashMap<>();
    Map<String, Callable<Map<String, Double>>> takers = new LinkedHashMap<>();
    for (Contender<L> c : contenders) {
      references.put(c.label(), c.reference());
      takers.put(c.label(), () -> take(c, taker));
    }
    Map<String, Object> environment = environment().toMap();
    return new Results(
        name, "", score, references, environment, retakes.inTurn(name, samples(), takers));
  }

  private static <L> Map<String, Double> take(Contender<L> contender, Taker<L> taker)
      throws Exception {
    try (Server server = contender.starter().call()) {
      return taker.take(contender, server);
    }
  }

  /** Prints tables and their legends, and writes the samples to the chosen file. */
  void tell(Results results, String tables) {
    System.out.println();
    System.out.print(tables);
    System.out.println("Samples: " + ResultFile.write(json, results));
  }
}
