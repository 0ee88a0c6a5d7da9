package dev.mely.bench.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.bench.Json;
import java.util.List;
import org.junit.jupiter.api.Test;

class UsageTest {
  @Test
  void travelsAsALine() {
    Usage usage = usage(12, 34, new Steals(56, 78, 90), new JvmCpu(3, 2, 1), 7L, 8L);
    assertEquals(usage, Json.read(Json.line(usage), Usage.class));
  }

  @Test
  void subtracts() {
    assertEquals(
        // The second loop has started meanwhile.
        usage(1, 2, new Steals(3, 5, 6), new JvmCpu(3, 2, 1), 4L, 9L),
        usage(11, 22, new Steals(33, 55, 66), new JvmCpu(7, 8, 9), 44L, 9L)
            .since(usage(10, 20, new Steals(30, 50, 60), new JvmCpu(4, 6, 8), 40L)));
  }

  private static Usage usage(
      long cpuNanos, long switches, Steals steals, JvmCpu jvm, Long... loops) {
    return new Usage(
        cpuNanos, switches, steals, jvm, List.of(loops), new Footprint(1, 2_048, 3, 4));
  }

  @Test
  void looksAtThisProcess() {
    assertTrue(Usage.ofThisProcess(Steals.NONE, List.of(), Footprint.NONE).cpuNanos() > 0);
  }

  @Test
  void refusesAnyOtherLine() {
    assertThrows(IllegalArgumentException.class, () -> Json.read("Killed", Usage.class));
  }
}
