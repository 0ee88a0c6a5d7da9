package dev.mely.bench.sim;

import dev.mely.bench.Json;
import dev.mely.bench.ResultFile;
import dev.mely.bench.Spread;
import dev.mely.bench.Table;
import dev.mely.bench.Versions;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Measures on this machine what the simulator charges. */
@Command(
    name = "calibrate",
    description = {
      "Measures what the runtimes' steps cost on this machine, for 'sim --costs': medians of"
          + " several samples, and where these lie. Takes two or three seconds a sample; nothing"
          + " else should run.",
      "What needs counters or more caches than one is taken over from a machine like this: lines"
          + " per event and per lock, the price of scanning a queue, and lines from afar, for which"
          + " the nearest that could be measured stands."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Versions.class,
    sortOptions = false)
public final class CalibrateCommand implements Callable<Integer> {
  private static final int MAX_SAMPLES = 1_000;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--samples",
      description = "how many to take of each figure, 1 to 1000 (default: ${DEFAULT-VALUE})")
  private int samples = 7;

  @Option(
      names = "--out",
      paramLabel = "<file>",
      description = "where to leave the costs (default: costs.json, in mely-bench/target)")
  private @Nullable Path out;

  @Override
  public Integer call() {
    if (samples < 1 || samples > MAX_SAMPLES) {
      throw new ParameterException(
          spec.commandLine(), "--samples must be between 1 and 1000, but is " + samples);
    }
    Map<String, Spread> spreads = Calibration.spreads(samples);
    System.out.print(text(spreads));
    System.out.println(
        "Costs, in nanoseconds: "
            + ResultFile.write(out, "costs.json", Json.write(Calibration.costs(spreads).toMap())));
    return 0;
  }

  private static String text(Map<String, Spread> spreads) {
    Table table = new Table("measured", "median, ns", "least", "greatest");
    spreads.forEach(
        (name, spread) ->
            table.add(
                name,
                Table.number(spread.median(), 1),
                Table.number(spread.min(), 1),
                Table.number(spread.max(), 1)));
    return table.toString();
  }
}
