package dev.mely.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ResultsTest {
  static Results some() {
    Map<String, List<Map<String, Double>>> samples = new LinkedHashMap<>();
    samples.put("stock", List.of(Map.of("rate", 1e6), Map.of("rate", 2e6), Map.of("rate", 4e6)));
    samples.put(
        "mely",
        List.of(
            Map.of("rate", 3e6, "steals", 7.0),
            Map.of("rate", 2e6, "steals", 9.5),
            Map.of("rate", 4e6)));
    return new Results(
        "unbalanced",
        "all \"short\"",
        new Score("rate", "M events/s", 1e6, 2, true),
        Map.of("mely", "stock", "stock", "stock"),
        new LinkedHashMap<>(Map.of("jdk", "17", "cores", 2.0)),
        samples);
  }

  @Test
  void comesBackAsItWasWritten() {
    assertEquals(some(), Results.fromJson(some().toJson()));
    assertEquals(List.of("stock", "mely"), Results.fromJson(some().toJson()).contenders());
  }

  @Test
  void comparesSampleBySample() {
    assertEquals(new Spread(1, 1, 3), some().ratio("mely"));
  }

  @Test
  void comparesAnyFigureSampleBySample() {
    Map<String, List<Map<String, Double>>> samples = new LinkedHashMap<>();
    samples.put("a", List.of(Map.of("p", 6.0), Map.of("p", 2.0), Map.of("p", 5.0)));
    samples.put("b", List.of(Map.of("p", 2.0), Map.of("p", 1.0), Map.of("p", 5.0)));
    Results results =
        new Results(
            "", "", new Score("x", "", 1, 0, true), Map.of("a", "b", "b", "c"), Map.of(), samples);
    assertEquals(new Spread(2, 1, 3), results.ratio("a", "p"));
    assertSame(Spread.NONE, results.ratio("b", "p")); // compared with one that does not take part
    assertSame(Spread.NONE, results.ratio("a", "p42")); // that no sample has
  }

  @Test
  void leavesOutSamplesWithoutAScore() {
    Map<String, List<Map<String, Double>>> samples = new LinkedHashMap<>();
    samples.put("a", List.of(Map.of("x", 6.0), Map.of("x", Double.NaN), Map.of("x", 1.0)));
    samples.put("b", List.of(Map.of("x", 2.0), Map.of("x", 2.0), Map.of()));
    Results results =
        new Results(
            "", "", new Score("x", "", 1, 0, true), Map.of("a", "b", "b", "c"), Map.of(), samples);
    assertEquals(new Spread(3, 3, 3), results.ratio("a"));
    assertTrue(Double.isNaN(results.ratio("b").median()));
    assertEquals(3.0, Results.fromJson(results.toJson()).ratio("a").median());
  }

  @Test
  void takesTheMedianOfWhatIsThere() {
    assertEquals(8.25, some().median("mely", "steals"));
    assertTrue(Double.isNaN(some().median("stock", "steals")));
  }

  @Test
  void saysWhatIsWrong() {
    assertError("not JSON", "{\"benchmark\": ");
    assertError("there is no score", "{}");
    assertError("not JSON", some().toJson().replaceAll("\\[\\s*\\{[^]]*]", "3"));
  }

  private static void assertError(String message, String text) {
    IllegalArgumentException e =
        assertThrows(IllegalArgumentException.class, () -> Results.fromJson(text));
    assertTrue(String.valueOf(e.getMessage()).contains(message), e::getMessage);
  }
}
