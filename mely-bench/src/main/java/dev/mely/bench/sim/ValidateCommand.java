package dev.mely.bench.sim;

import dev.mely.bench.BenchCommand;
import dev.mely.bench.Spread;
import dev.mely.bench.Table;
import dev.mely.topology.AllowedCpus;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** Holds the simulator against the machine that it runs on. */
@Command(
    name = "validate",
    description = {
      "Runs the same programs on this machine and under the simulator, with the costs of this"
          + " machine, and tells how far they are apart: unbalanced, steadyColors and chains on all"
          + " cores, and requests that arrive by themselves on one.",
      "Rates are taken in a JVM of its own for each sample, with the options of this one. Takes"
          + " five minutes; nothing else should run."
    })
public final class ValidateCommand extends BenchCommand {
  private static final double WITHIN = 0.2;

  @Option(
      names = "--configuration",
      split = ",",
      description = "which runtimes, as for sim (default: libasync,mely,mely-all).")
  private List<String> configurations = List.of("libasync", "mely", "mely-all");

  @Option(
      names = "--cores",
      description = "how many workers (default: as many as the process may use).")
  private int cores = AllowedCpus.system().recommendedWorkers();

  @Option(
      names = "--samples",
      description = "how often each is measured, 1 or more (default: ${DEFAULT-VALUE}).")
  private int samples = 5;

  @Option(
      names = "--seconds",
      description = "how long each sample takes, beside its warm-up (default: ${DEFAULT-VALUE}).")
  private double seconds = 0.5;

  @Option(
      names = "--costs",
      paramLabel = "<file>",
      description = "what steps cost, from 'sim calibrate' (default: they are measured first).")
  private @Nullable Path costsFile;

  @Override
  public Integer call() throws Exception {
    try {
      check(samples >= 1, "--samples must be 1 or more, but is " + samples);
      check(seconds > 0, "--seconds must be more than 0, but is " + seconds);
      int most = AllowedCpus.system().recommendedWorkers();
      check(
          cores >= 1 && cores <= most,
          "--cores must be between 1 and the " + most + " that there are, but is " + cores);
      configurations.forEach(Runtimes::check);
      Validation validation = new Validation(cores, samples, seconds, configurations);
      Costs costs =
          costsFile == null
              ? Calibration.costs(Calibration.measure(samples))
              : Costs.read(costsFile);
      Map<String, Spread> measured = validation.measure();
      System.out.print(text(validation.simulate(costs, measured)));
      for (String configuration : configurations) {
        System.out.print(disturbances(configuration, measured));
      }
      return 0;
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    }
  }

  private static void check(boolean holds, String otherwise) {
    if (!holds) {
      throw new IllegalArgumentException(otherwise);
    }
  }

  /** A table, and how many figures are near enough. */
  static String text(List<Validation.Row> rows) {
    Table table =
        new Table(
            "workload",
            "configuration",
            "figure",
            "real",
            "least",
            "greatest",
            "simulated",
            "off %",
            "within 20 %");
    for (Validation.Row row : rows) {
      table.add(
          row.workload(),
          row.configuration(),
          row.figure(),
          Table.number(row.real().median(), 1),
          Table.number(row.real().min(), 1),
          Table.number(row.real().max(), 1),
          Table.number(row.simulated(), 1),
          Table.number(100 * row.error(), 0),
          isNear(row) ? "yes" : "no");
    }
    long near = rows.stream().filter(ValidateCommand::isNear).count();
    return table + "\nWithin 20 %: " + near + " of " + rows.size() + "\n";
  }

  /** What requests met that the simulator does not know. */
  private static String disturbances(String configuration, Map<String, Spread> measured) {
    Spread late = Objects.requireNonNull(measured.get(Validation.LATE + configuration));
    Spread compiling = Objects.requireNonNull(measured.get(Validation.COMPILING + configuration));
    return String.format(
        Locale.ROOT,
        "Requests to %s were sent %.1f µs late on average; meanwhile code was compiled for"
            + " %.1f %% of the time.%n",
        configuration,
        late.median(),
        100 * compiling.median());
  }

  private static boolean isNear(Validation.Row row) {
    return Math.abs(row.error()) <= WITHIN;
  }
}
