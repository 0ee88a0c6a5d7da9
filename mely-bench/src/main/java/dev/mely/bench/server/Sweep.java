package dev.mely.bench.server;

import dev.mely.bench.Charts;
import dev.mely.bench.Results;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * Pictures over a number of clients, with a curve for each server.
 *
 * @param results whose contenders' names begin with a number, a word and a space
 * @param clients what is counted: the word
 */
record Sweep(Results results, String clients) {
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

  /** Draws a figure, and says where; nothing if no server has it. */
  void draw(Path directory, String name, String figure, String unit) {
    Map<String, Map<Double, Double>> curves = curves(figure);
    if (!curves.isEmpty()) {
      String title = results.title() + ": " + unit;
      Charts.write(() -> Charts.curves(title, clients, unit, curves), directory, name)
          .forEach(file -> System.out.println("Written: " + file));
    }
  }
}
