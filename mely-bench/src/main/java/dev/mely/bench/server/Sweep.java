package dev.mely.bench.server;

import dev.mely.bench.Charts;
import dev.mely.bench.Results;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Pictures over a number of clients, with a curve for each server.
 *
 * @param results whose contenders' names begin with a number, a word and a space
 * @param clients what is counted: the word
 */
record Sweep(Results results, String clients) {
  /** Where pictures go by default. */
  static Path directory(String name) {
    Path build = Path.of("mely-bench", "target");
    return Files.isDirectory(build) ? build.resolve(name) : Path.of(name);
  }

  /** Medians of a figure, by server and number of clients; what lacks the figure is left out. */
  Map<String, Map<Double, Double>> curves(String figure) {
    Map<String, Map<Double, Double>> curves = new LinkedHashMap<>();
    for (String contender : results.contenders()) {
      String[] words = contender.split(" ", 3);
      double median = results.median(contender, figure);
      if (Double.isFinite(median)) {
        curves
            .computeIfAbsent(words[2], server -> new TreeMap<>())
            .put(Double.valueOf(words[0]), median);
      }
    }
    return curves;
  }

  /** Draws a figure; nothing if no server has it. Returns the files. */
  List<Path> draw(Path directory, String name, String figure, String unit) {
    Map<String, Map<Double, Double>> curves = curves(figure);
    return curves.isEmpty()
        ? List.of()
        : Charts.write(
            () -> Charts.curves(results.title() + ": " + unit, clients, unit, curves),
            directory,
            name);
  }
}
