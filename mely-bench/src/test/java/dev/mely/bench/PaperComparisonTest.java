package dev.mely.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;

class PaperComparisonTest {
  private final Map<String, List<Map<String, Double>>> samples = new LinkedHashMap<>();

  private void add(String contender, double... rates) {
    samples.put(contender, DoubleStream.of(rates).mapToObj(r -> Map.of("rate", r)).toList());
  }

  private String compare(String benchmark, String load, String reference) {
    PaperComparison comparison = PaperComparison.of(results(benchmark, load, reference));
    assertNotNull(comparison);
    return comparison.toString();
  }

  private Results results(String benchmark, String load, String reference) {
    Map<String, String> references = new LinkedHashMap<>();
    samples.keySet().forEach(c -> references.put(c, reference));
    Score score = new Score("rate", "M events/s", 1e6, 2, true);
    return new Results(benchmark, load, score, references, Map.of(), samples);
  }

  private static List<String> row(String report, String name) {
    String line = report.lines().filter(l -> l.startsWith("| " + name + " ")).findFirst().get();
    return List.of(line.substring(1).strip().split("\\s*\\|\\s*"));
  }

  @Test
  void putsThePapersFiguresBesideOurs() {
    add("mely-spinlock", 2e6, 1e6);
    samples.put(
        "mely-spinlock-base-ws",
        List.of(
            Map.of("rate", 1e6, "nanosPerSteal", 500.0, "lockShare", 0.25),
            Map.of("rate", 1e6, "nanosPerSteal", 700.0, "lockShare", 0.35)));
    add("pekko", 3e6, 1e6);
    String text = compare("unbalanced", "unbalanced", "mely-spinlock");
    assertEquals(
        List.of(
            "configuration",
            "M events/s",
            "paper",
            "× mely-spinlock",
            "range",
            "paper",
            "steal µs",
            "paper",
            "stolen µs",
            "paper",
            "in locks %",
            "paper"),
        row(text, "configuration"));
    assertEquals(
        List.of(
            "mely-spinlock-base-ws",
            "1.00",
            "1.20",
            "0.75",
            "0.50–1.00",
            "0.94",
            "0.60",
            "0.97",
            "–",
            "0.19",
            "30.00",
            "1.42"),
        row(text, "mely-spinlock-base-ws"));
    assertEquals(
        List.of("pekko", "2.00", "–", "1.25", "1.00–1.50", "–", "–", "–", "–", "–", "–", "–"),
        row(text, "pekko"));
    assertTrue(text.contains("tables III and IV"), text);
  }

  @Test
  void comparesWithWhatThePaperHasMeasured() {
    add("mely", 1e6);
    add("libasync", 2e6);
    add("mely-penalty", 4e6);
    String text = compare("penalty", "chains", "mely");
    assertEquals(
        List.of("mely-penalty", "4.00", "2.12", "2.00", "2.00–2.00", "1.92"),
        row(text, "mely-penalty"));
    assertEquals(List.of("mely", "1.00", "–", "0.50", "0.50–0.50", "–"), row(text, "mely"));
  }

  @Test
  void isSilentWhereThePaperIs() {
    add("libasync", 1e6);
    add("pekko", 1e6);
    assertNull(PaperComparison.of(results("unbalanced", "unbalanced", "libasync")));
    add("libasync-ws", 1e6);
    assertNull(PaperComparison.of(results("unbalanced", "all-short", "libasync")));
    assertNotNull(PaperComparison.of(results("unbalanced", "unbalanced", "libasync")));
  }
}
