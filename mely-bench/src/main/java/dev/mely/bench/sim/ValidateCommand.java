package dev.mely.bench.sim;

import dev.mely.bench.BenchCommand;
import dev.mely.bench.ResultTable;
import dev.mely.bench.Results;
import dev.mely.bench.Table;
import dev.mely.topology.AllowedCpus;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** Compares the simulator with this machine. */
@Command(
    name = "validate",
    description = {
      "Runs the same programs on this machine and under the simulator, with the costs of this"
          + " machine, and compares the results: unbalanced, steadyColors and chains on all"
          + " cores, and an open loop on one.",
      "Rates are taken in a JVM of its own for each sample, with the options of this one. Takes"
          + " five minutes; nothing else should run."
    })
public final class ValidateCommand extends BenchCommand {
  private static final double WITHIN = 0.2;
  private static final int MAX_SAMPLES = 1_000;

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
      description = "samples per figure, 1 or more (default: ${DEFAULT-VALUE}).")
  private int samples = 5;

  @Option(
      names = "--seconds",
      description = "how long each sample takes, without its warm-up (default: ${DEFAULT-VALUE}).")
  private double seconds = 0.5;

  @Option(
      names = "--costs",
      paramLabel = "<file>",
      description = "the costs of steps, from 'sim calibrate' (default: they are measured first).")
  private @Nullable Path costsFile;

  @Override
  public Integer call() throws Exception {
    inRange("--samples", samples, 1, MAX_SAMPLES);
    nanos("--seconds", seconds); // checks it
    inRange("--cores", cores, 1, AllowedCpus.system().recommendedWorkers());
    try {
      configurations.forEach(Runtimes::check);
      Validation validation = new Validation(cores, samples, seconds, configurations);
      Costs costs =
          costsFile == null
              ? Calibration.costs(Calibration.measure(samples))
              : Costs.read(costsFile);
      System.out.print(text(validation.run(costs)));
      return 0;
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    }
  }

  /** The table, and how many figures are within the tolerance. */
  static String text(Results results) {
    ResultTable table =
        new ResultTable("figure and runtime", results)
            .spread("real", Validation.REAL, 1)
            .median("simulated", Validation.SIMULATED, 1)
            .column("off %", row -> Table.number(100 * off(results, row), 0))
            .column("within 20 %", row -> near(results, row));
    List<String> judged = results.contenders().stream().map(row -> near(results, row)).toList();
    int near = Collections.frequency(judged, "yes");
    int all = near + Collections.frequency(judged, "no");
    return table + "\nWithin 20 %: " + near + " of " + all + "\n";
  }

  /** Relative error of the simulated figure. */
  private static double off(Results results, String row) {
    return results.median(row, Validation.SIMULATED) / results.median(row, Validation.REAL) - 1;
  }

  private static String near(Results results, String row) {
    double off = off(results, row);
    return Double.isNaN(off) ? "–" : Math.abs(off) <= WITHIN ? "yes" : "no";
  }
}
