package dev.mely.bench.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
    Costs costs =
        Calibration.costs(new Calibration.Measured(spreads, List.of(3.0), 50, List.of(1.0, 9.0)));
    assertEquals(5, costs.run(), "one disturbed sample of three does not count");
    assertEquals(List.of(0.0, 80.0, 80.0, 80.0, 80.0, 80.0), costs.lines());
    assertEquals(List.of(3.0), costs.wakeDelays());
    assertEquals(50, costs.betweenInterruptions());
    assertEquals(List.of(1.0, 9.0), costs.interruptions());
    assertEquals(Machines.costs(Machines.HERE).scan(), costs.scan(), "as it is known");
  }

  @Test
  void tellsWhatIsNearEnough() {
    List<Validation.Row> rows =
        List.of(
            new Validation.Row("chains", "mely", "events/s (K)", new Spread(100, 90, 105), 119),
            new Validation.Row("chains", "libasync", "events/s (K)", new Spread(100, 99, 101), 79));
    String text = ValidateCommand.text(rows);
    assertTrue(text.contains("Within 20 %: 1 of 2"), text);
    assertTrue(text.lines().anyMatch(l -> l.contains("mely") && l.contains(" 19 |")), text);
    assertTrue(text.lines().anyMatch(l -> l.contains("libasync") && l.contains("-21")), text);
    assertTrue(text.lines().anyMatch(l -> l.contains("libasync") && l.contains(" no ")), text);
  }

  /** Everything that is measured has its simulated counterpart, in the same unit. */
  @Test
  void measuresAndSimulatesTheSame() throws Exception {
    Validation validation = new Validation(1, 1, 0.01, List.of("mely"));
    List<Validation.Row> rows =
        validation.simulate(Machines.costs(Machines.HERE), validation.measure());
    assertEquals(6, rows.size());
    for (Validation.Row row : rows) {
      assertTrue(row.real().median() > 0, row::toString);
      assertTrue(row.simulated() > 0, row::toString);
    }
  }
}
