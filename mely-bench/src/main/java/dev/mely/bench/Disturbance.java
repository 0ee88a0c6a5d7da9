package dev.mely.bench;

import java.util.Collection;
import java.util.Locale;
import java.util.Map;

/** What other processes did to a comparison. */
public final class Disturbance {
  /** What others may use during a sample, in CPUs. */
  private static final double LIMIT = 0.25;

  private Disturbance() {}

  /**
   * Says that the machine was busy, if it was.
   *
   * @param results whose samples have the figure {@link ResultTable#OTHERS}, for each load or once
   * @return a sentence; empty: in no sample did other processes use more than a quarter of a CPU
   */
  public static String of(Results results) {
    double most =
        results.samples().values().stream()
            .flatMap(Collection::stream)
            .mapToDouble(Disturbance::others)
            .max()
            .orElse(0);
    return most <= LIMIT
        ? ""
        : String.format(
            Locale.ROOT,
            "Other processes used up to %.2f CPUs during a sample: these figures prove nothing;"
                + " repeat on an idle machine.",
            most);
  }

  /** The most of all figures of that name. */
  private static double others(Map<String, Double> sample) {
    return sample.entrySet().stream()
        .filter(figure -> ("." + figure.getKey()).endsWith("." + ResultTable.OTHERS))
        .mapToDouble(Map.Entry::getValue)
        .filter(Double::isFinite)
        .max()
        .orElse(0);
  }
}
