package dev.mely.bench;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * Pictures over a number of something, with a curve for each contender.
 *
 * @param results whose contenders' names begin with that number, what it counts, and a space
 */
public record Sweep(Results results) {
  /** Medians of a figure, by contender and number; what lacks the figure is left out. */
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

  /** Draws a figure, and says where; nothing if no contender has it. */
  public void draw(Path directory, String name, String figure, String unit) {
    Map<String, Map<Double, Double>> curves = curves(figure);
    if (!curves.isEmpty()) {
      String title = results.title() + ": " + unit;
      String counted = results.contenders().get(0).split(" ", 3)[1];
      Charts.write(() -> Charts.curves(title, counted, unit, curves), directory, name)
          .forEach(file -> System.out.println("Written: " + file));
    }
  }
}
