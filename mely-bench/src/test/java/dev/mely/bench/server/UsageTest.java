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
    Usage usage = new Usage(12, 34, new Steals(56, 78, 90), new JvmCpu(3, 2, 1), List.of(7L, 8L));
    assertEquals(usage, Json.read(Json.line(usage), Usage.class));
  }

  @Test
  void subtracts() {
    assertEquals(
        // The second loop has started meanwhile.
        new Usage(1, 2, new Steals(3, 5, 6), new JvmCpu(3, 2, 1), List.of(4L, 9L)),
        new Usage(11, 22, new Steals(33, 55, 66), new JvmCpu(7, 8, 9), List.of(44L, 9L))
            .since(new Usage(10, 20, new Steals(30, 50, 60), new JvmCpu(4, 6, 8), List.of(40L))));
  }

  @Test
  void looksAtThisProcess() {
    assertTrue(Usage.ofThisProcess(Steals.NONE).cpuNanos() > 0);
  }

  @Test
  void refusesAnyOtherLine() {
    assertThrows(IllegalArgumentException.class, () -> Json.read("Killed", Usage.class));
  }
}
