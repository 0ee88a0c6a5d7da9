package dev.mely.bench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

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
    return middle(figure(contender, name));
  }

  /** Returns the median of what is a number; not a number if nothing is. */
  public static double middle(double... values) {
    double[] finite = known(values);
    return finite.length == 0 ? Double.NaN : Spread.of(finite).median();
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

  /** Writes all of it as JSON. */
  public String toJson() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("benchmark", benchmark);
    map.put("load", load);
    Map<String, Object> s = new LinkedHashMap<>();
    s.put("figure", score.figure());
    s.put("title", score.title());
    s.put("unit", score.unit());
    s.put("decimals", score.decimals());
    s.put("moreIsBetter", score.moreIsBetter());
    map.put("score", s);
    map.put("references", references);
    map.put("environment", environment);
    map.put("samples", samples);
    return Json.write(map);
  }

  /**
   * Reads what {@link #toJson} has written.
   *
   * @throws IllegalArgumentException if it is something else, saying what is wrong
   */
  public static Results fromJson(String text) {
    Map<?, ?> map = map(Json.read(text), "the file");
    Map<?, ?> s = map(map.get("score"), "score");
    Score score =
        new Score(
            text(s.get("figure"), "figure"),
            text(s.get("title"), "title"),
            number(s.get("unit"), "unit"),
            (int) number(s.get("decimals"), "decimals"),
            Boolean.TRUE.equals(s.get("moreIsBetter")));
    Map<String, String> references = new LinkedHashMap<>();
    map(map.get("references"), "references")
        .forEach((k, v) -> references.put(text(k, "name"), text(v, "reference")));
    Map<String, Object> environment = new LinkedHashMap<>();
    map(map.get("environment"), "environment")
        .forEach((k, v) -> environment.put(text(k, "name"), Objects.requireNonNullElse(v, "")));
    Map<String, List<Map<String, Double>>> samples = new LinkedHashMap<>();
    map(map.get("samples"), "samples")
        .forEach((k, v) -> samples.put(text(k, "name"), sampleList(v)));
    return new Results(
        text(map.get("benchmark"), "benchmark"),
        text(map.get("load"), "load"),
        score,
        references,
        environment,
        samples);
  }

  private static List<Map<String, Double>> sampleList(@Nullable Object value) {
    if (!(value instanceof List<?> list)) {
      throw new IllegalArgumentException("samples are not a list: " + value);
    }
    List<Map<String, Double>> samples = new ArrayList<>();
    for (Object item : list) {
      Map<String, Double> sample = new LinkedHashMap<>();
      map(item, "a sample")
          .forEach(
              (k, v) -> sample.put(text(k, "name"), v == null ? Double.NaN : number(v, "figure")));
      samples.add(sample);
    }
    return samples;
  }

  private static Map<?, ?> map(@Nullable Object value, String what) {
    if (value instanceof Map<?, ?> map) {
      return map;
    }
    throw new IllegalArgumentException(what + " is not an object: " + value);
  }

  private static String text(@Nullable Object value, String what) {
    if (value instanceof String s) {
      return s;
    }
    throw new IllegalArgumentException(what + " is not a text: " + value);
  }

  private static double number(@Nullable Object value, String what) {
    if (value instanceof Number n) {
      return n.doubleValue();
    }
    throw new IllegalArgumentException(what + " is not a number: " + value);
  }
}
