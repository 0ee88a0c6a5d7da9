package dev.mely.bench.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.bench.Results;
import dev.mely.bench.Score;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tables say what they are, and nothing that is zero everywhere. */
class SimReportTest {
  @Test
  void tellsMediansOfWhatThereIs() {
    Map<String, List<Map<String, Double>>> samples = new LinkedHashMap<>();
    samples.put(
        "2 cores mely",
        List.of(
            Map.of("rate", 2e6, "stealsPerEvent", 0.0),
            Map.of("rate", 4e6, "stealsPerEvent", 0.0)));
    samples.put("4 cores mely", List.of(Map.of("rate", 5e6, "busy", 0.5)));
    Score score = new Score("rate", "events/s", 1, 0, true);
    String text =
        SimReport.text(
            new Results("simulated", "unbalanced on here", score, Map.of(), Map.of(), samples));
    assertTrue(text.contains("Simulated, not measured: unbalanced on here"), text);
    List<String> lines = text.lines().filter(line -> line.startsWith("|")).toList();
    assertEquals(
        List.of("simulated", "events/s (K)", "in handlers %"),
        List.of(lines.get(0).substring(1).strip().split("\\s*\\|\\s*")));
    assertEquals("| 2 cores mely |        3,000 |             – |", lines.get(2));
  }
}
