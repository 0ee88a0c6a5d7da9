package dev.mely.bench;

import java.util.Arrays;
import java.util.Collection;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * Median, minimum and maximum of a few samples.
 *
 * @param median the middle one, or the mean of the middle two
 * @param min minimum
 * @param max maximum
 */
public record Spread(double median, double min, double max) {
  /** Of no samples: all NaN. */
  public static final Spread NONE = new Spread(Double.NaN, Double.NaN, Double.NaN);

  /**
   * Computes the spread of samples.
   *
   * @param samples one or more, in any order
   * @return their spread
   * @throws IllegalArgumentException if there are none
   */
  public static Spread of(double... samples) {
    if (samples.length == 0) {
      throw new IllegalArgumentException("no samples");
    }
    double[] sorted = samples.clone();
    Arrays.sort(sorted);
    int half = sorted.length / 2;
    double median = sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
    return new Spread(median, sorted[0], sorted[sorted.length - 1]);
  }

  /** As above. */
  public static Spread of(Collection<Double> samples) {
    return of(samples.stream().mapToDouble(d -> d).toArray());
  }

  /**
   * The ratios of paired samples. Skips pairs with a NaN.
   *
   * @param samples the numerators
   * @param reference the denominators, sample by sample
   * @return the spread of {@code samples[i] / reference[i]}; {@link #NONE} if no pair is left
   * @throws IllegalArgumentException if the numbers of samples differ
   */
  public static Spread ofRatios(double[] samples, double[] reference) {
    if (samples.length != reference.length) {
      throw new IllegalArgumentException(
          samples.length + " samples against " + reference.length + " of the reference");
    }
    double[] ratios =
        IntStream.range(0, samples.length)
            .mapToDouble(i -> samples[i] / reference[i])
            .filter(Double::isFinite)
            .toArray();
    return ratios.length == 0 ? NONE : of(ratios);
  }

  /**
   * Formats minimum and maximum.
   *
   * @param decimals digits after the point
   * @return for example {@code 1.71–1.84}
   */
  public String range(int decimals) {
    return Table.number(min, decimals) + "–" + Table.number(max, decimals);
  }

  /** Median, minimum and maximum with two decimals. */
  @Override
  public String toString() {
    return String.format(Locale.ROOT, "%.2f (%.2f–%.2f)", median, min, max);
  }
}
