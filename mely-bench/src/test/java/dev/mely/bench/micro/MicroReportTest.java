package dev.mely.bench.micro;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.bench.Results;
import dev.mely.bench.baseline.Configuration.Family;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MicroReportTest {
  /** Two seconds of two cores. */
  private static Map<String, Double> sample(Family family, double events, double steals) {
    Map<String, Double> counters =
        Map.ofEntries(
            Map.entry("events", events),
            Map.entry("nanos", 2e9),
            Map.entry("steals", steals),
            Map.entry("stolenNanos", steals * 9_000),
            Map.entry("stealNanos", steals * 500),
            Map.entry("takeovers", 6e3),
            Map.entry("parks", 4e3),
            Map.entry("wakeups", 2e3),
            Map.entry("locks", 3 * events),
            Map.entry("lockNanos", 1e9),
            Map.entry("bytes", 0.5 * events),
            Map.entry("othersNanos", 0.5e9));
    return Samples.of(Micro.UNBALANCED, family, 2, counters::get);
  }

  private static String report(Map<String, List<Map<String, Double>>> samples) {
    Map<String, String> references = new LinkedHashMap<>();
    samples.keySet().forEach(c -> references.put(c, "mely-spinlock"));
    return new MicroReport(
            new Results(
                "unbalanced",
                "unbalanced",
                Micro.UNBALANCED.score(),
                references,
                Map.of(),
                samples))
        .toString();
  }

  private static List<String> row(String report, String name) {
    String line = report.lines().filter(l -> l.startsWith("| " + name + " ")).findFirst().get();
    return List.of(line.substring(1).strip().split("\\s*\\|\\s*"));
  }

  @Test
  void comparesSampleBySample() {
    Map<String, List<Map<String, Double>>> samples = new LinkedHashMap<>();
    Family baseline = Family.BASELINE;
    samples.put(
        "mely-spinlock",
        List.of(sample(baseline, 4e6, 0), sample(baseline, 2e6, 0), sample(baseline, 8e6, 0)));
    Family mely = Family.MELY;
    samples.put(
        "mely-all",
        List.of(sample(mely, 6e6, 6e3), sample(mely, 4e6, 4e3), sample(mely, 8e6, 8e3)));
    Family peer = Family.PEER;
    samples.put(
        "ceiling", List.of(sample(peer, 8e6, 0), sample(peer, 8e6, 0), sample(peer, 8e6, 0)));
    String report = report(samples);
    assertEquals(
        List.of(
            "mely-spinlock",
            "2.00",
            "1.00",
            "1.00–1.00",
            "0.50",
            "0.000",
            "–",
            "–",
            "–",
            "1.000",
            "–",
            "3.00",
            "25.00",
            "0.50",
            "0.25"),
        row(report, "mely-spinlock"));
    assertEquals(
        List.of(
            "mely-all",
            "3.00",
            "1.50",
            "1.00–2.00",
            "0.75",
            "1.000",
            "9.00",
            "0.50",
            "1.000",
            "0.667",
            "0.333",
            "–",
            "–",
            "0.50",
            "0.25"),
        row(report, "mely-all"));
    assertTrue(report.contains("× mely-spinlock"), report);
  }

  @Test
  void leavesOutWhatAPeerDoesNotTell() {
    String report = report(Map.of("pekko", List.of(sample(Family.PEER, 2e6, 100))));
    assertEquals(
        List.of(
            "pekko", "1.00", "–", "–––", "–", "–", "–", "–", "–", "–", "–", "–", "–", "0.50",
            "0.25"),
        row(report, "pekko"));
  }

  @Test
  void knowsItsOwn() {
    Results echo = new Results("echo", "", Micro.UNBALANCED.score(), Map.of(), Map.of(), Map.of());
    assertFalse(MicroReport.prints(echo));
  }
}
