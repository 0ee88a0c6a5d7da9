package dev.mely.bench.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MeterTest {
  private static Map<String, Double> costs(Steals steals) {
    Map<String, Double> sample = new LinkedHashMap<>();
    new Meter.Reading(1_000_000, new Usage(600_000, 50, steals, List.of()), 0, 0)
        .addCosts(sample, 200);
    return sample;
  }

  @Test
  void dividesByAnswersAndBySteals() {
    assertEquals(
        Map.of(
            "serverCpuMicros", 3.0,
            "switches", 0.25,
            "stealsPerThousand", 20.0,
            "stealMicros", 0.5,
            "stolenMicros", 7.0),
        costs(new Steals(4, 2_000, 28_000)));
  }

  @Test
  void saysNothingOfWhatAStealCostsWhereThereIsNone() {
    assertEquals(
        Map.of("serverCpuMicros", 3.0, "switches", 0.25, "stealsPerThousand", 0.0),
        costs(Steals.NONE));
  }
}
