package dev.mely.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.knowm.xchart.CategoryChart;

class ChartsTest {
  /** A figure that no sample has is no bar; the axis has room for the greatest sample. */
  @Test
  void drawsFiguresSideBySide() {
    Map<String, String> figures = new LinkedHashMap<>();
    figures.put("here", "rate");
    figures.put("there", "other");
    CategoryChart chart = Charts.bars("a", "ms", ResultsTest.some(), figures);
    assertEquals(List.of("stock", "mely"), List.copyOf(chart.getSeriesMap().keySet()));
    assertEquals(List.of(2e6, 0.0), List.copyOf(chart.getSeriesMap().get("stock").getYData()));
    assertEquals(4.4e6, chart.getStyler().getYAxisMax(), 1);
  }
}
