package dev.mely.bench.server;

import dev.mely.bench.Spread;
import dev.mely.bench.Table;
import java.util.List;
import java.util.Map;

/** One figure of all samples of a contender. */
final class Column {
  private final double[] values;

  private Column(double[] values) {
    this.values = values;
  }

  /**
   * Picks a figure.
   *
   * @throws IllegalArgumentException if a sample lacks it
   */
  static Column of(List<Map<String, Double>> samples, String figure) {
    double[] values = new double[samples.size()];
    for (int i = 0; i < values.length; i++) {
      Double value = samples.get(i).get(figure);
      if (value == null) {
        throw new IllegalArgumentException("no '" + figure + "' in " + samples.get(i));
      }
      values[i] = value;
    }
    return new Column(values);
  }

  /** Where the samples lie. */
  Spread spread() {
    return Spread.of(values);
  }

  /** The median, as text. */
  String median(int decimals) {
    return Table.number(spread().median(), decimals);
  }

  /** Median, least and greatest of the ratios to a reference, sample by sample. */
  Spread over(Column reference) {
    return Spread.ofRatios(values, reference.values);
  }

  /** Median, least and greatest, as text. */
  String all(int decimals) {
    return median(decimals) + " (" + spread().range(decimals) + ")";
  }
}
