package dev.mely.bench;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;

/**
 * The results of a comparison: all samples, and what is needed to print and draw them again.
 *
 * @param benchmark its name
 * @param load name of the load
 * @param score the figure to compare
 * @param references per configuration, the one that it is compared with; absent if none
 * @param environment see {@link Environment}
 * @param samples per configuration its samples, in the order of measurement: figures by name
 */
public record Results(
    String benchmark,
    String load,
    Score score,
    Map<String, String> references,
    Map<String, Object> environment,
    Map<String, List<Map<String, Double>>> samples) {
  /** The title: the benchmark, and the load unless it is the same. */
  public String title() {
    boolean plain = load.isEmpty() || load.equals(benchmark);
    return plain ? benchmark : benchmark + " " + load;
  }

  /** The base name of its files, without an extension. */
  public String fileName() {
    return title().replace(' ', '-');
  }

  /** The configurations, in order. */
  public List<String> contenders() {
    return List.copyOf(samples.keySet());
  }

  /**
   * Returns a figure of all samples of a configuration.
   *
   * @return NaN where a sample lacks it
   */
  public double[] figure(String contender, String name) {
    return Objects.requireNonNull(samples.get(contender), contender).stream()
        .mapToDouble(s -> s.getOrDefault(name, Double.NaN))
        .toArray();
  }

  /** Returns the median of a figure; NaN if no sample has it. */
  public double median(String contender, String name) {
    return spread(contender, name).median();
  }

  /** Returns the spread of a figure; {@link Spread#NONE} if no sample has it. */
  public Spread spread(String contender, String name) {
    double[] known = known(figure(contender, name));
    return known.length == 0 ? Spread.NONE : Spread.of(known);
  }

  /** Returns the values without NaN. */
  static double[] known(double... values) {
    return Arrays.stream(values).filter(Double::isFinite).toArray();
  }

  /**
   * Returns the ratio of a configuration's score to its reference's, sample by sample; skips
   * samples in which one of them has no score.
   *
   * @return {@link Spread#NONE} if no sample is left
   */
  public Spread ratio(String contender) {
    return ratio(contender, score.figure());
  }

  /** Returns the ratio of another figure, likewise. */
  public Spread ratio(String contender, String figure) {
    String reference = references.get(contender);
    return reference == null || !samples.containsKey(reference)
        ? Spread.NONE
        : Spread.ofRatios(figure(contender, figure), figure(reference, figure));
  }

  /** Returns the same samples, with {@code reference} as the reference of all, if it is present. */
  public Results comparedWith(String reference) {
    Map<String, String> all = new LinkedHashMap<>();
    samples.keySet().forEach(c -> all.put(c, reference));
    return new Results(benchmark, load, score, all, environment, samples);
  }

  /**
   * Returns the figures whose names begin with a prefix.
   *
   * @param prefix removed from the names
   * @param load new name of the load
   * @param name renames configurations; those without such figures are left out
   */
  public Results part(String prefix, String load, UnaryOperator<String> name) {
    Map<String, String> named = new LinkedHashMap<>();
    Map<String, List<Map<String, Double>>> parts = new LinkedHashMap<>();
    samples.forEach(
        (c, all) -> {
          List<Map<String, Double>> some = all.stream().map(s -> part(s, prefix)).toList();
          if (some.stream().anyMatch(s -> !s.isEmpty())) {
            parts.put(name.apply(c), some);
            String reference = references.get(c);
            if (reference != null) {
              named.put(name.apply(c), name.apply(reference));
            }
          }
        });
    return new Results(benchmark, load, score, named, environment, parts);
  }

  private static Map<String, Double> part(Map<String, Double> sample, String prefix) {
    Map<String, Double> part = new LinkedHashMap<>();
    sample.forEach(
        (name, value) -> {
          if (name.startsWith(prefix)) {
            part.put(name.substring(prefix.length()), value);
          }
        });
    return part;
  }

  /** Returns the results of only the configurations with that reference. */
  public Results of(String reference) {
    Map<String, List<Map<String, Double>>> some = new LinkedHashMap<>(samples);
    some.keySet().removeIf(c -> !reference.equals(references.get(c)));
    return new Results(benchmark, load, score, references, environment, some);
  }

  /** Returns these results, followed by the configurations of others. */
  public Results and(Results other) {
    Map<String, String> named = new LinkedHashMap<>(references);
    named.putAll(other.references);
    Map<String, List<Map<String, Double>>> all = new LinkedHashMap<>(samples);
    all.putAll(other.samples);
    return new Results(benchmark, load, score, named, environment, all);
  }

  /** Writes all as JSON. */
  public String toJson() {
    return Json.write(this);
  }

  /**
   * Reads the output of {@link #toJson}.
   *
   * @throws IllegalArgumentException if it is something else; the message says what is wrong
   */
  public static Results fromJson(String text) {
    Results read = Json.read(text, Results.class);
    if (read == null || read.score == null || read.references == null || read.samples == null) {
      throw new IllegalArgumentException("there is no score, or there are no samples");
    }
    return read;
  }
}
