package dev.mely.bench;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;

/**
 * What one run of a comparison leaves behind: every sample, and what it takes to print and to draw
 * them again.
 *
 * @param benchmark its name
 * @param load the name of what was done
 * @param score the figure by which to compare
 * @param references per contender, with whom it is compared; nothing if with nobody
 * @param environment what the figures depend on, see {@link Environment}
 * @param samples per contender its samples, in the order in which they were taken: figures by name
 */
public record Results(
    String benchmark,
    String load,
    Score score,
    Map<String, String> references,
    Map<String, Object> environment,
    Map<String, List<Map<String, Double>>> samples) {
  /** What was done, for people: the benchmark, and the load if that says more. */
  public String title() {
    boolean plain = load.isEmpty() || load.equals(benchmark);
    return plain ? benchmark : benchmark + " " + load;
  }

  /** What to call files of it, without an ending. */
  public String fileName() {
    return title().replace(' ', '-');
  }

  /** The contenders, in order. */
  public List<String> contenders() {
    return List.copyOf(samples.keySet());
  }

  /**
   * Returns a figure of all samples of a contender.
   *
   * @return not a number where a sample lacks it
   */
  public double[] figure(String contender, String name) {
    return Objects.requireNonNull(samples.get(contender), contender).stream()
        .mapToDouble(s -> s.getOrDefault(name, Double.NaN))
        .toArray();
  }

  /** Returns the median of a figure; not a number if no sample has it. */
  public double median(String contender, String name) {
    return spread(contender, name).median();
  }

  /** Returns where a figure lies in the samples that have it; {@link Spread#NONE} if none has. */
  public Spread spread(String contender, String name) {
    double[] known = known(figure(contender, name));
    return known.length == 0 ? Spread.NONE : Spread.of(known);
  }

  /** Returns the values that are numbers. */
  static double[] known(double... values) {
    return Arrays.stream(values).filter(Double::isFinite).toArray();
  }

  /**
   * Returns how a contender's score relates to its reference, sample by sample; samples in which
   * one of them has no score are left out.
   *
   * @return not a number if nothing is left
   */
  public Spread ratio(String contender) {
    return ratio(contender, score.figure());
  }

  /** Returns how any figure of a contender relates to its reference, likewise. */
  public Spread ratio(String contender, String figure) {
    String reference = references.get(contender);
    return reference == null || !samples.containsKey(reference)
        ? Spread.NONE
        : Spread.ofRatios(figure(contender, figure), figure(reference, figure));
  }

  /** Returns the same samples, but all contenders compared with that one, if it is there. */
  public Results comparedWith(String reference) {
    Map<String, String> all = new LinkedHashMap<>();
    samples.keySet().forEach(c -> all.put(c, reference));
    return new Results(benchmark, load, score, all, environment, samples);
  }

  /**
   * Returns the figures that have been taken under a name of their own.
   *
   * @param prefix their names begin with it, and go on without it
   * @param load the new name of what was done
   * @param name what to call contenders from now on; who has none of the figures is left out
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

  /** Returns the same, of the contenders alone that are compared with that one. */
  public Results of(String reference) {
    Map<String, List<Map<String, Double>>> some = new LinkedHashMap<>(samples);
    some.keySet().removeIf(c -> !reference.equals(references.get(c)));
    return new Results(benchmark, load, score, references, environment, some);
  }

  /** Returns the same, and behind it the contenders of another one. */
  public Results and(Results other) {
    Map<String, String> named = new LinkedHashMap<>(references);
    named.putAll(other.references);
    Map<String, List<Map<String, Double>>> all = new LinkedHashMap<>(samples);
    all.putAll(other.samples);
    return new Results(benchmark, load, score, named, environment, all);
  }

  /** Writes all of it as JSON. */
  public String toJson() {
    return Json.write(this);
  }

  /**
   * Reads what {@link #toJson} has written.
   *
   * @throws IllegalArgumentException if it is something else, saying what is wrong
   */
  public static Results fromJson(String text) {
    Results read = Json.read(text, Results.class);
    if (read == null || read.score == null || read.references == null || read.samples == null) {
      throw new IllegalArgumentException("there is no score, or there are no samples");
    }
    return read;
  }
}
