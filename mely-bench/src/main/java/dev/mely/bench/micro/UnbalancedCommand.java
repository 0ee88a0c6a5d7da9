package dev.mely.bench.micro;

import dev.mely.bench.Checks;
import dev.mely.bench.Environment;
import dev.mely.bench.Json;
import dev.mely.bench.ResultFile;
import dev.mely.bench.Retakes;
import dev.mely.bench.Versions;
import dev.mely.topology.AllowedCpus;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.results.format.ResultFormatFactory;
import org.openjdk.jmh.results.format.ResultFormatType;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Runs {@code unbalanced} and prints its table. */
@Command(
    name = "unbalanced",
    description = {
      "Rounds of 50,000 events of distinct colors, all registered on core 0; 98 percent take 100 cycles, "
          + "2 percent take 10 to 50 thousand. All configurations, interleaved, each sample in a JVM of "
          + "its own."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Versions.class,
    sortOptions = false)
public final class UnbalancedCommand implements Callable<Integer> {
  private static final int MAX_CORES = 256;
  private static final int MAX_FORKS = 1_000;
  private static final int FORKS = 5;
  private static final int QUICK_FORKS = 2;
  private static final double SECONDS = 3;
  private static final double QUICK_SECONDS = 1.2;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(names = "--quick", description = "a first impression in under a minute: 2 forks of 1.2 s")
  private boolean quick;

  @Option(
      names = "--forks",
      paramLabel = "<n>",
      description = "samples, each in a fresh JVM, per configuration (default: 5)")
  private @Nullable Integer forks;

  @Option(
      names = "--time",
      paramLabel = "<s>",
      description = "seconds of measurement per sample (default: 3)")
  private @Nullable Double time;

  @Option(
      names = "--cores",
      paramLabel = "<n>",
      description = "workers (default: the CPUs that this process may use)")
  private @Nullable Integer cores;

  @Option(names = "--unpinned", description = "do not pin workers to CPUs")
  private boolean unpinned;

  @Option(
      names = "--load",
      paramLabel = "<name>",
      description =
          "unbalanced; all-short: no long events; one-color: the same work, all of one color "
              + "(default: ${DEFAULT-VALUE})")
  private String load = "unbalanced";

  @Option(
      names = "--configurations",
      paramLabel = "<name>",
      split = ",",
      description = "some of them, separated by commas (default: all)")
  private List<String> names = Configuration.labels();

  @Option(
      names = "--jvm-arg",
      paramLabel = "<flag>",
      description = "a flag of the measured JVMs; may be repeated (default: -Xms1g -Xmx1g)")
  private List<String> jvmArgs = List.of("-Xms1g", "-Xmx1g");

  @Option(
      names = "--json",
      paramLabel = "<file>",
      description =
          "where to leave the samples (default: named after the load, in mely-bench/target)")
  private @Nullable Path json;

  @Mixin private Retakes retakes = new Retakes();

  @Override
  public Integer call() throws Exception {
    UnbalancedRun run = configure();
    Environment environment =
        Environment.of(run.cores(), run.pinned(), String.join(" ", run.jvmArgs()));
    PrintStream out = System.out;
    out.print(environment);
    out.printf(
        "%s, %d configurations, %d JVMs of %.1f s each%n",
        run.load(), run.configurations().size(), run.forks(), run.seconds());
    Map<Configuration, List<RunResult>> results = run.run();
    Map<Configuration, List<Sample>> samples = new LinkedHashMap<>();
    results.forEach((c, list) -> samples.put(c, UnbalancedRun.samples(list)));
    out.println();
    out.print(new UnbalancedReport(samples));
    List<RunResult> all = results.values().stream().flatMap(List::stream).toList();
    Path file = ResultFile.write(json, load + ".json", toJson(environment, all));
    out.println("Samples: " + file);
    return 0;
  }

  private UnbalancedRun configure() {
    int defaultForks = quick ? QUICK_FORKS : FORKS;
    double defaultSeconds = quick ? QUICK_SECONDS : SECONDS;
    int defaultCores = AllowedCpus.system().recommendedWorkers();
    List<Configuration> configurations;
    try {
      Load.parse(load, 0);
      configurations = names.stream().map(Configuration::parse).distinct().toList();
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
    return new UnbalancedRun(
        load,
        configurations,
        Checks.inRange(spec, "--forks", forks != null ? forks : defaultForks, 1, MAX_FORKS),
        Checks.seconds(spec, "--time", time != null ? time : defaultSeconds),
        Checks.inRange(spec, "--cores", cores != null ? cores : defaultCores, 1, MAX_CORES),
        !unpinned,
        jvmArgs,
        retakes);
  }

  /** JMH's own format, with the environment around it. */
  private static String toJson(Environment environment, Collection<RunResult> results) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    ResultFormatFactory.getInstance(
            ResultFormatType.JSON, new PrintStream(bytes, true, StandardCharsets.UTF_8))
        .writeOut(results);
    return "{\n\"environment\": "
        + Json.write(environment.toMap())
        + ",\n\"jmh\": "
        + bytes.toString(StandardCharsets.UTF_8)
        + "}";
  }
}
