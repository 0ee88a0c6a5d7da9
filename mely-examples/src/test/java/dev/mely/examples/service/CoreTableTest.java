package dev.mely.examples.service;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class CoreTableTest {
  @Test
  void rowsAndTotals() {
    String table =
        CoreTable.format(
            List.of(
                new CoreTable.Row(0, 1_234_567, 12, Duration.ofNanos(3_500_000)),
                new CoreTable.Row(1, 1, 0, Duration.ZERO)));
    assertEquals(
        List.of(
            "core            events       steals        stolen ms",
            "0            1,234,567           12            3.500",
            "1                    1            0            0.000",
            "all          1,234,568           12            3.500"),
        table.lines().toList());
  }

  @Test
  void withoutFigures() {
    assertEquals("No statistics per core.", CoreTable.format(List.of()).strip());
  }
}
