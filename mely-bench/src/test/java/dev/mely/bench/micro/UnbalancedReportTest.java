package dev.mely.bench.micro;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class UnbalancedReportTest {
  private static Sample sample(double rate, long steals) {
    return new Sample(
        rate, 0.25, new Figures(100_000, steals, steals * 9_000, steals * 500, 6, 4, 2, 50_000));
  }

  private static String[] row(String report, String name) {
    String line = report.lines().filter(l -> l.startsWith("| " + name + " ")).findFirst().get();
    return line.substring(1).strip().split("\\s*\\|\\s*");
  }

  @Test
  void comparesSampleBySample() {
    Map<Configuration, List<Sample>> samples = new LinkedHashMap<>();
    samples.put(Configuration.MELY, List.of(sample(2e6, 0), sample(1e6, 0), sample(4e6, 0)));
    samples.put(
        Configuration.MELY_TIME_LEFT,
        List.of(sample(3e6, 1_000), sample(2e6, 1_000), sample(4e6, 1_200)));
    String report = new UnbalancedReport(samples).toString();
    assertEquals(
        List.of(
            "mely",
            "2.00",
            "1.00",
            "1.00–1.00",
            "0.000",
            "–",
            "–",
            "3.00",
            "2.00",
            "1.00",
            "0.50",
            "0.25"),
        List.of(row(report, "mely")));
    assertEquals(
        List.of(
            "mely-time-left",
            "3.00",
            "1.50",
            "1.00–2.00",
            "10.000",
            "9.00",
            "0.50",
            "3.00",
            "2.00",
            "1.00",
            "0.50",
            "0.25"),
        List.of(row(report, "mely-time-left")));
  }

  @Test
  void leavesOutWhatAPeerDoesNotMeasure() {
    String report =
        new UnbalancedReport(Map.of(Configuration.FJP_GUAVA, List.of(sample(1e6, 100)))).toString();
    assertEquals(
        List.of("fjp-guava", "1.00", "–", "–––", "1.000", "–", "–", "–", "–", "–", "0.50", "0.25"),
        List.of(row(report, "fjp-guava")));
  }

  @Test
  void saysWhatItsColumnsMean() {
    assertTrue(new UnbalancedReport(Map.of()).toString().contains("sample by sample"));
  }
}
