package dev.mely.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ColumnTest {
  private static final List<Map<String, Double>> SAMPLES =
      List.of(Map.of("rate", 6.0), Map.of("rate", 2.0), Map.of("rate", 5.0));

  private final Column rate = Column.of(SAMPLES, "rate");

  @Test
  void tellsWhereTheSamplesLie() {
    assertEquals(new Spread(5, 2, 6), rate.spread());
    assertEquals("5.0", rate.median(1));
    assertEquals("5.0 (2.0–6.0)", rate.all(1));
  }

  @Test
  void comparesSampleBySample() {
    List<Map<String, Double>> reference =
        List.of(Map.of("rate", 2.0), Map.of("rate", 1.0), Map.of("rate", 5.0));
    assertEquals(new Spread(2, 1, 3), rate.over(reference));
  }

  @Test
  void comparesWithNobody() {
    assertSame(Spread.NONE, rate.over(null));
  }

  @Test
  void namesAFigureThatIsMissing() {
    IllegalArgumentException e =
        assertThrows(IllegalArgumentException.class, () -> Column.of(SAMPLES, "p42"));
    assertEquals("no 'p42' in {rate=6.0}", e.getMessage());
  }
}
