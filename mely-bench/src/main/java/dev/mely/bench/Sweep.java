package dev.mely.bench;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * Charts over a quantity, with a curve per configuration.
 *
 * @param results configuration names start with a number, its unit and a space
 */
public record Sweep(Results results) {
  /** Medians of a figure, by configuration and number; those without the figure are left out. */
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

  /** Draws a figure, and prints the file; does nothing if no configuration has the figure. */
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
