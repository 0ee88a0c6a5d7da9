package dev.mely.bench.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.mely.bench.ResultTable;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class MeterTest {
  private static Meter.Reading reading(Steals steals, JvmCpu jvm) {
    Usage usage = new Usage(600_000, 50, steals, jvm, List.of(), Footprint.NONE);
    return new Meter.Reading(1_000_000, usage, 300_000, 0);
  }

  private static Map<String, Double> costs(Steals steals) {
    Map<String, Double> sample = new LinkedHashMap<>();
    reading(steals, JvmCpu.UNKNOWN).addCosts(sample, 200);
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
  void tellsCompilersFromTheCollector() {
    Map<String, Double> sample = new LinkedHashMap<>();
    reading(Steals.NONE, new JvmCpu(20_000, 150_000, 70_000)).addCpus(sample);
    assertEquals(2, sample.get("c1Percent"));
    assertEquals(15, sample.get("c2Percent"));
    assertEquals(7, sample.get("gcPercent"));
    assertEquals(0.3, sample.get("clientCpus"));
    sample.clear();
    reading(Steals.NONE, JvmCpu.UNKNOWN).addCpus(sample);
    assertEquals(Set.of("serverCpus", "clientCpus", ResultTable.OTHERS), sample.keySet());
  }

  @Test
  void saysNothingOfWhatAStealCostsWhereThereIsNone() {
    assertEquals(
        Map.of("serverCpuMicros", 3.0, "switches", 0.25, "stealsPerThousand", 0.0),
        costs(Steals.NONE));
  }
}
