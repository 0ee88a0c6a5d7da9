package dev.mely.bench.micro;

import dev.mely.bench.BenchCommand;
import dev.mely.bench.Environment;
import dev.mely.bench.Labels;
import dev.mely.bench.ResultFile;
import dev.mely.bench.Results;
import dev.mely.bench.Retakes;
import dev.mely.bench.SampleTime;
import dev.mely.bench.baseline.Configuration;
import dev.mely.topology.AllowedCpus;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs microbenchmarks and prints a table for each. */
@Command(
    name = "micro",
    description =
        "Microbenchmarks of Mely, of the papers' runtimes and of other libraries: all"
            + " configurations, interleaved, each sample in a JVM of its own.")
public final class MicroCommand extends BenchCommand {
  private static final String ALL = "all";
  private static final int MAX_CORES = 256;
  private static final int MAX_FORKS = 1_000;
  private static final int FORKS = 5;
  private static final int QUICK_FORKS = 2;
  private static final double SECONDS = 3;
  private static final double QUICK_SECONDS = 1.2;
  private static final double WARM_UP_SECONDS = 5;
  private static final double QUICK_WARM_UP_SECONDS = 2;

  @Option(
      names = "--list",
      description = "list the benchmarks, their loads and the configurations, and end")
  private boolean list;

  @Option(
      names = "--benchmark",
      paramLabel = "<name>",
      split = ",",
      description = "benchmarks, separated by commas, or 'all' (default: ${DEFAULT-VALUE})")
  private List<String> benchmarks;

  @Option(
      names = "--load",
      paramLabel = "<name>",
      split = ",",
      description =
          "loads, see --list: some, separated by commas, or 'all' (default: the benchmark's"
              + " first)")
  private List<String> loads = List.of();

  @Option(
      names = "--configurations",
      paramLabel = "<name>",
      split = ",",
      description = "configurations, separated by commas (default: all that run on this JDK)")
  private List<String> names = Configuration.labels();

  @Option(
      names = "--reference",
      paramLabel = "<name>",
      description =
          "the configuration that all are compared with (default: mely-spinlock if it takes part,"
              + " of stealCost mely-spinlock-base-ws, else the first)")
  private @Nullable String reference;

  @Option(names = "--quick", description = "a quick, rough run: 2 forks of 1.2 s, after 2 s")
  private boolean quick;

  @Option(
      names = "--forks",
      paramLabel = "<n>",
      description = "samples, each in a fresh JVM, per configuration (default: 5)")
  private @Nullable Integer forks;

  @Option(
      names = "--cores",
      paramLabel = "<n>",
      description = "workers (default: the CPUs that this process may use)")
  private @Nullable Integer cores;

  @Option(names = "--unpinned", description = "do not pin workers to CPUs")
  private boolean unpinned;

  @Option(
      names = "--jvm-arg",
      paramLabel = "<flag>",
      description =
          "a flag of the measured JVMs; may be repeated (default: -Xms1g -Xmx1g; of idleColors"
              + " -Xmx8g)")
  private List<String> jvmArgs = List.of();

  @Option(
      names = "--json",
      paramLabel = "<file>",
      description =
          "where to write the samples of a single benchmark and load (default: named after both, in"
              + " mely-bench/target)")
  private @Nullable Path json;

  @Mixin
  private SampleTime time =
      new SampleTime(SECONDS, WARM_UP_SECONDS, QUICK_SECONDS, QUICK_WARM_UP_SECONDS);

  @Mixin private Retakes retakes = new Retakes();

  /**
   * Makes the command.
   *
   * @param benchmark the default
   */
  public MicroCommand(String benchmark) {
    benchmarks = List.of(benchmark);
  }

  /** One table. */
  private record Plan(Micro micro, String load) {}

  @Override
  public Integer call() throws Exception {
    PrintStream out = System.out;
    if (list) {
      list(out);
      return 0;
    }
    List<Configuration> configurations =
        playing(
            Labels.parseAll(spec, names, Configuration::parse), "", Configuration::unavailability);
    List<Plan> plans = plans();
    checkReference(configurations);
    if (json != null && plans.size() > 1) {
      throw misuse("--json is for one benchmark and one load, but there are " + plans.size());
    }
    inRange("--forks", forks(), 1, MAX_FORKS);
    inRange("--cores", cores(), 1, MAX_CORES);
    time.warmUpSeconds(quick); // checks it before the first benchmark starts
    time.seconds(quick);
    try {
      for (Plan plan : plans) {
        run(plan, configurations, out);
      }
    } catch (MicroRun.LockedException e) {
      spec.commandLine().getErr().println(e.getMessage());
      return 1;
    }
    return 0;
  }

  private void run(Plan plan, List<Configuration> chosen, PrintStream out) throws Exception {
    List<Configuration> configurations =
        playing(chosen, " of " + plan.micro.label(), plan.micro::absence);
    List<String> flags = jvmArgs.isEmpty() ? heap(plan.micro) : jvmArgs;
    MicroRun run =
        new MicroRun(
            plan.micro,
            plan.load,
            time.warmUpSeconds(quick),
            time.seconds(quick),
            cores(),
            !unpinned,
            flags);
    Environment environment = Environment.of(cores(), !unpinned, String.join(" ", flags));
    out.print(environment);
    out.printf(
        Locale.ROOT,
        "%s, %s: %s; %d configurations, %d JVMs of %.1f s each%n",
        plan.micro.label(),
        plan.load,
        plan.micro.description(),
        configurations.size(),
        forks(),
        time.seconds(quick));
    // Interleaved: JMH alone would run all forks of one configuration before the next, so that a
    // change of the machine's load would affect only the last ones.
    String compared = reference(plan.micro, configurations);
    Map<String, String> references = new LinkedHashMap<>();
    Map<String, Callable<Map<String, Double>>> takers = new LinkedHashMap<>();
    for (Configuration c : configurations) {
      references.put(c.label(), compared);
      takers.put(c.label(), () -> run.sample(c));
    }
    String task = plan.micro.label() + " " + plan.load;
    Results results =
        new Results(
            plan.micro.label(),
            plan.load,
            plan.micro.score(),
            references,
            environment.toMap(),
            retakes.inTurn(task, forks(), takers));
    out.println();
    out.print(new MicroReport(results));
    out.println("Samples: " + ResultFile.write(json, results));
    out.println();
  }

  private static List<String> heap(Micro micro) {
    return micro == Micro.IDLE_COLORS ? List.of("-Xmx8g") : List.of("-Xms1g", "-Xmx1g");
  }

  private static void list(PrintStream out) {
    for (Micro m : Micro.values()) {
      out.println(m.label() + ": " + m.description());
      out.println("  loads: " + String.join(", ", m.loads()));
    }
    out.println("configurations: " + String.join(", ", Configuration.labels()));
  }

  private int forks() {
    return forks != null ? forks : quick ? QUICK_FORKS : FORKS;
  }

  private int cores() {
    return cores != null ? cores : AllowedCpus.system().recommendedWorkers();
  }

  private List<Plan> plans() {
    List<String> chosen = benchmarks.contains(ALL) ? Micro.labels() : benchmarks;
    List<Plan> plans = new ArrayList<>();
    for (Micro micro : Labels.parseAll(spec, chosen, Micro::parse)) {
      List<String> all = micro.loads();
      List<String> some = loads.isEmpty() ? all.subList(0, 1) : loads.contains(ALL) ? all : loads;
      Labels.parseAll(spec, some, micro::checkLoad)
          .forEach(load -> plans.add(new Plan(micro, load)));
    }
    return plans;
  }

  /** The configurations that can take part; prints why others cannot. */
  private List<Configuration> playing(
      List<Configuration> chosen, String of, Function<Configuration, @Nullable String> reason) {
    List<Configuration> playing = new ArrayList<>();
    for (Configuration c : chosen) {
      String absence = reason.apply(c);
      if (absence == null) {
        playing.add(c);
      } else {
        System.err.println("left out" + of + ": " + c.label() + ": " + absence);
      }
    }
    if (playing.isEmpty()) {
      throw misuse("no configuration is left to run" + of);
    }
    return playing;
  }

  private String reference(Micro micro, List<Configuration> configurations) {
    List<String> labels = configurations.stream().map(Configuration::label).toList();
    if (reference != null && labels.contains(reference)) {
      return reference;
    }
    String usual = micro.reference().label();
    return labels.contains(usual) ? usual : labels.get(0);
  }

  private void checkReference(List<Configuration> configurations) {
    if (reference != null && !reference(Micro.UNBALANCED, configurations).equals(reference)) {
      throw misuse(
          "--reference '"
              + reference
              + "' does not take part; there are: "
              + labels(configurations));
    }
  }

  private static String labels(List<Configuration> all) {
    return all.stream().map(Configuration::label).collect(Collectors.joining(", "));
  }
}
