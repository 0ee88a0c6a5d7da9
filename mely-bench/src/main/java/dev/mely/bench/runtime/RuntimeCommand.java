package dev.mely.bench.runtime;

import dev.mely.bench.BenchCommand;
import dev.mely.bench.Environment;
import dev.mely.bench.ResultFile;
import dev.mely.bench.Results;
import dev.mely.bench.Score;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Base class of these commands, with the option for the result file. */
abstract class RuntimeCommand extends BenchCommand {
  @Option(
      names = "--json",
      paramLabel = "<file>",
      description = "where to write the figures (default: a file in mely-bench/target)")
  private @Nullable Path json;

  /** Writes results, and prints the file. */
  final void leave(Results results) {
    System.out.println("Figures: " + ResultFile.write(json, results));
  }

  /** Writes the results of a single sample. */
  final void leave(Score score, Environment environment, Map<String, Double> sample) {
    Map<String, List<Map<String, Double>>> samples = Map.of("mely", List.of(sample));
    leave(new Results(spec.name(), "", score, Map.of(), environment.toMap(), samples));
  }
}
