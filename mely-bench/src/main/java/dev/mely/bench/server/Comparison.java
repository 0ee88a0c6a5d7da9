package dev.mely.bench.server;

import dev.mely.bench.Checks;
import dev.mely.bench.Environment;
import dev.mely.bench.Progress;
import dev.mely.bench.ResultFile;
import dev.mely.bench.Results;
import dev.mely.bench.Retakes;
import dev.mely.bench.Score;
import dev.mely.topology.AllowedCpus;
import io.netty.channel.epoll.Epoll;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/**
 * What the comparisons of servers have in common: options, and samples taken in turn, each with its
 * server in a fresh JVM.
 */
final class Comparison {
  /** A sample's figure of what other processes used meanwhile, in CPUs. */
  static final String OTHERS = "othersCpus";

  private static final int MAX_CORES = 256;
  private static final int MAX_PAIRS = 1_000;
  private static final int QUICK_PAIRS = 2;
  private static final double SECONDS = 2.5;
  private static final double QUICK_SECONDS = 1;

  @Option(names = "--quick", description = "a first impression: 2 samples of 1 s")
  private boolean quick;

  @Option(
      names = "--samples",
      paramLabel = "<n>",
      description =
          "samples, each with a server in a fresh JVM, per configuration (default: 5; of compare 3)")
  private @Nullable Integer samples;

  @Option(
      names = "--time",
      paramLabel = "<s>",
      description = "seconds of measurement per sample, after as many of warm-up (default: 2.5)")
  private @Nullable Double time;

  @Option(
      names = "--cores",
      paramLabel = "<n>",
      description = "event loops (default: the CPUs that this process may use)")
  private @Nullable Integer cores;

  @Option(
      names = "--pinned",
      description = "pin Mely's workers to CPUs; they share those with the client here")
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
      description = "stock, mely, mely-off, separated by commas (default: ${DEFAULT-VALUE})")
  private List<String> groups = List.of("stock", "mely");

  @Option(
      names = "--jvm-arg",
      paramLabel = "<flag>",
      description = "a flag of the servers' JVMs; may be repeated (default: ${DEFAULT-VALUE})")
  private List<String> jvmArgs = List.of("-Xms256m", "-Xmx256m");

  @Option(
      names = "--json",
      paramLabel = "<file>",
      description = "where to leave the samples (default: a file in mely-bench/target)")
  private @Nullable Path json;

  private final int usual;

  @Mixin private Retakes retakes = new Retakes();

  /**
   * @param usual how many samples there are by default
   * @param transports likewise
   */
  Comparison(int usual, String... transports) {
    this.usual = usual;
    this.transports = List.of(transports);
  }

  /** Takes one sample. */
  @FunctionalInterface
  interface Taker<C> {
    /** Loads the running server of a configuration. */
    Map<String, Double> take(C configuration, ServerProcess server)
        throws IOException, InterruptedException;
  }

  /** The checked number of event loops. */
  int cores(CommandSpec spec) {
    int n = cores != null ? cores : AllowedCpus.system().recommendedWorkers();
    return Checks.inRange(spec, "--cores", n, 1, MAX_CORES);
  }

  /** The checked time of a measurement, in nanoseconds. */
  long nanos(CommandSpec spec) {
    double seconds = time != null ? time : quick ? QUICK_SECONDS : SECONDS;
    return (long) (Checks.seconds(spec, "--time", seconds) * 1e9);
  }

  /** The checked number of samples per configuration. */
  int samples(CommandSpec spec) {
    int n = samples != null ? samples : quick ? QUICK_PAIRS : usual;
    return Checks.inRange(spec, "--samples", n, 1, MAX_PAIRS);
  }

  /** The chosen transports, those that this machine lacks left out with a word. */
  List<Transport> transports(CommandSpec spec) {
    List<Transport> chosen = new ArrayList<>();
    for (String name : transports) {
      try {
        Transport transport = Transport.parse(name);
        if (transport.isAvailable()) {
          chosen.add(transport);
        } else {
          System.err.println("left out: " + name + ": " + Epoll.unavailabilityCause());
        }
      } catch (IllegalArgumentException e) {
        throw new ParameterException(spec.commandLine(), e.getMessage(), e);
      }
    }
    return chosen;
  }

  /** The chosen groups. */
  List<Group> groups(CommandSpec spec) {
    try {
      return groups.stream().map(Group::parse).distinct().toList();
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }

  /** Describes the run. */
  Environment environment(CommandSpec spec) {
    return Environment.of(cores(spec), pinned, String.join(" ", jvmArgs));
  }

  /**
   * Takes all samples, one of each configuration in turn.
   *
   * @param task what to call it meanwhile
   * @param configurations what is compared; their texts are their names
   * @return per configuration its samples, in order
   */
  <C extends Contender> Map<C, List<Map<String, Double>>> run(
      CommandSpec spec, String task, Service service, List<C> configurations, Taker<C> taker)
      throws Exception {
    int rounds = samples(spec);
    Map<C, List<Map<String, Double>>> results = new LinkedHashMap<>();
    try (Progress progress = new Progress(task, rounds * configurations.size())) {
      for (int i = 0; i < rounds; i++) {
        for (C c : configurations) {
          progress.begin(c.label());
          Map<String, Double> sample =
              retakes.take(() -> take(spec, service, c, taker), s -> s.getOrDefault(OTHERS, 0.0));
          results.computeIfAbsent(c, x -> new ArrayList<>()).add(sample);
          progress.end();
        }
      }
    }
    return results;
  }

  private <C extends Contender> Map<String, Double> take(
      CommandSpec spec, Service service, C c, Taker<C> taker)
      throws IOException, InterruptedException {
    try (ServerProcess server =
        ServerProcess.start(service, c.group(), c.transport(), cores(spec), pinned, jvmArgs)) {
      return taker.take(c, server);
    }
  }

  /**
   * Writes the samples to the chosen file.
   *
   * @param score by which to compare
   * @param reference with whom a configuration is compared
   * @return where they are
   */
  <C extends Contender> Path write(
      String name,
      Score score,
      Function<C, C> reference,
      Environment environment,
      Map<C, List<Map<String, Double>>> results) {
    Map<String, String> references = new LinkedHashMap<>();
    results.keySet().forEach(c -> references.put(c.label(), reference.apply(c).label()));
    Map<String, List<Map<String, Double>>> samplesByName = new LinkedHashMap<>();
    results.forEach((c, list) -> samplesByName.put(c.label(), list));
    Results all = new Results(name, "", score, references, environment.toMap(), samplesByName);
    return ResultFile.write(json, all);
  }
}
