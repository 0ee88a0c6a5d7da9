package dev.mely.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.knowm.xchart.CategoryChart;

class ChartsTest {
  private static CategoryChart percentiles(Double... values) {
    return Charts.percentiles("a", "ms", List.of("p50", "p99"), Map.of("x", List.of(values)));
  }

  /** Only powers of ten are written beside the axis: there must be one on each side. */
  @Test
  void drawsWholeDecades() {
    CategoryChart chart = percentiles(0.15, 5.4);
    assertTrue(chart.getStyler().isYAxisLogarithmic());
    assertEquals(0.1, chart.getStyler().getYAxisMin(), 1e-9);
    assertEquals(10, chart.getStyler().getYAxisMax(), 1e-9);
  }

  @Test
  void drawsADecadeAroundASingleValue() {
    CategoryChart chart = percentiles(10.0, 10.0);
    assertEquals(10, chart.getStyler().getYAxisMin(), 1e-9);
    assertEquals(100, chart.getStyler().getYAxisMax(), 1e-9);
  }

  @Test
  void hasNoLogarithmOfNothing() {
    assertFalse(percentiles(0.0, 5.4).getStyler().isYAxisLogarithmic());
    assertFalse(percentiles(Double.NaN, 5.4).getStyler().isYAxisLogarithmic());
  }

  @Test
  void saysBelowWhatMustBeKnown() {
    assertEquals("of two", Charts.caption(percentiles(1.0, 2.0), "of two").getXAxisTitle());
  }
}
