package dev.mely.bench.sim;

import dev.mely.bench.BenchCommand;
import dev.mely.bench.Json;
import dev.mely.bench.ResultFile;
import dev.mely.bench.Spread;
import dev.mely.bench.Table;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures the simulator's costs on this machine. */
@Command(
    name = "calibrate",
    description = {
      "Measures what the runtimes' steps cost on this machine, for 'sim --costs': medians of"
          + " several samples with their ranges; for wake-ups, the distribution of their delays."
          + " Takes two or three seconds a sample; nothing else should run.",
      "Costs that need hardware counters or several caches are those of a similar machine: lines"
          + " per event and per lock, scanning a queue, and data. Lines from distant caches cost"
          + " as much as the nearest measured ones."
    })
public final class CalibrateCommand extends BenchCommand {
  private static final int MAX_SAMPLES = 1_000;

  @Option(
      names = "--samples",
      description = "samples per figure, 1 to 1000 (default: ${DEFAULT-VALUE})")
  private int samples = 7;

  @Option(
      names = "--out",
      paramLabel = "<file>",
      description = "where to write the costs (default: costs.json, in mely-bench/target)")
  private @Nullable Path out;

  @Override
  public Integer call() throws Exception {
    inRange("--samples", samples, 1, MAX_SAMPLES);
    Calibration.Measured measured = Calibration.measure(samples);
    System.out.print(text(measured.spreads()));
    System.out.println(
        "Costs, in nanoseconds: "
            + ResultFile.write(out, "costs.json", Json.write(Calibration.costs(measured))));
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
