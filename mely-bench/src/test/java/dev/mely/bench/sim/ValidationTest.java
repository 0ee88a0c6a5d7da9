package dev.mely.bench.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.bench.Results;
import dev.mely.bench.Score;
import dev.mely.bench.Spread;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What is measured here, and what is made of it. */
class ValidationTest {
  @Test
  void medianSamplesBecomeCosts() {
    Map<String, Spread> spreads = new LinkedHashMap<>();
    spreads.put("run", Spread.of(5, 900, 4));
    spreads.put("line", Spread.of(70, 80, 60_000));
    Costs costs = Calibration.costs(new Calibration.Measured(spreads, List.of(3.0)));
    assertEquals(5, costs.run(), "one disturbed sample of three does not count");
    assertEquals(List.of(0.0, 80.0, 80.0, 80.0, 80.0, 80.0), costs.lines());
    assertEquals(List.of(3.0), costs.wakeDelays());
    assertEquals(List.of(), costs.interruptions());
    assertEquals(Machines.costs(Machines.HERE).scan(), costs.scan(), "as it is known");
  }

  @Test
  void tellsWhatIsNearEnough() {
    Map<String, List<Map<String, Double>>> samples = new LinkedHashMap<>();
    samples.put("chains: mely", List.of(figures(90, 118), figures(100, 119), figures(105, 120)));
    samples.put("chains: libasync", List.of(figures(100, 79)));
    samples.put("sent late: libasync", List.of(Map.of(Validation.REAL, 3.0)));
    Score score = new Score(Validation.REAL, "real", 1, 1, true);
    String text =
        ValidateCommand.text(new Results("validate", "", score, Map.of(), Map.of(), samples));
    assertTrue(text.contains("Within 20 %: 1 of 2"), text);
    assertTrue(text.lines().anyMatch(l -> l.contains(": mely") && l.contains(" 19 |")), text);
    assertTrue(text.lines().anyMatch(l -> l.contains("s: libasync") && l.contains("-21")), text);
    assertTrue(text.lines().anyMatch(l -> l.contains("s: libasync") && l.contains(" no ")), text);
  }

  private static Map<String, Double> figures(double real, double simulated) {
    return Map.of(Validation.REAL, real, Validation.SIMULATED, simulated);
  }

  /** Everything that is measured has its simulated counterpart, in the same unit. */
  @Test
  void measuresAndSimulatesTheSame() throws Exception {
    Validation validation = new Validation(1, 1, 0.01, List.of("mely"));
    Results results = validation.run(Machines.costs(Machines.HERE));
    List<String> simulated =
        results.contenders().stream()
            .filter(row -> Double.isFinite(results.median(row, Validation.SIMULATED)))
            .toList();
    assertEquals(6, simulated.size(), results.contenders()::toString);
    for (String row : simulated) {
      assertTrue(results.median(row, Validation.REAL) > 0, row);
      assertTrue(results.median(row, Validation.SIMULATED) > 0, row);
    }
  }
}
