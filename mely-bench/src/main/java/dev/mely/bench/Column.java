package dev.mely.bench;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One figure of all samples of a contender. Immutable. */
public final class Column {
  private final String figure;
  private final double[] values;

  private Column(String figure, double[] values) {
    this.figure = figure;
    this.values = values;
  }

  /**
   * Picks a figure.
   *
   * @param samples figures by name, one or more samples
   * @param figure its name
   * @return its values, in the order of the samples
   * @throws IllegalArgumentException if a sample lacks it
   */
  public static Column of(List<Map<String, Double>> samples, String figure) {
    double[] values = new double[samples.size()];
    for (int i = 0; i < values.length; i++) {
      Double value = samples.get(i).get(figure);
      if (value == null) {
        throw new IllegalArgumentException("no '" + figure + "' in " + samples.get(i));
      }
      values[i] = value;
    }
    return new Column(figure, values);
  }

  /** Where the samples lie. */
  public Spread spread() {
    return Spread.of(values);
  }

  /** The median, as text. */
  public String median(int decimals) {
    return Table.number(spread().median(), decimals);
  }

  /**
   * Compares with another contender, sample by sample.
   *
   * @param reference its samples, as many; null if it does not take part
   * @return the ratios of the same figure; {@link Spread#NONE} without a reference
   */
  public Spread over(@Nullable List<Map<String, Double>> reference) {
    return reference == null ? Spread.NONE : Spread.ofRatios(values, of(reference, figure).values);
  }

  /** Median, least and greatest, as text. */
  public String all(int decimals) {
    return median(decimals) + " (" + spread().range(decimals) + ")";
  }
}
