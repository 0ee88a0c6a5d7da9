package dev.mely.bench.sim;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tables and pictures say what they are. */
class SimReportTest {
  @Test
  void everyTitleSaysSimulated() {
    List<SimCommand.Row> rows = new ArrayList<>();
    for (int cores : new int[] {2, 4}) {
      for (double load : new double[] {0.5, 0.7}) {
        SimCommand.Point point = new SimCommand.Point("here", "exp-even", "mely", cores, load, 1);
        rows.add(new SimCommand.Row(point, Map.of("p99Micros", 100 * load * cores)));
      }
    }
    List<SimReport.Picture> pictures = SimReport.pictures(rows);
    assertEquals(
        List.of(
            "sim-exp-even-here-load-0.5-cores",
            "sim-exp-even-here-load-0.7-cores",
            "sim-exp-even-here-2-cores-load",
            "sim-exp-even-here-4-cores-load"),
        pictures.stream().map(SimReport.Picture::name).toList());
    double[] shown = pictures.get(3).chart().get().getSeriesMap().get("mely").getYData();
    assertArrayEquals(new double[] {200, 280}, shown, 0.01, "of four cores alone");
    for (SimReport.Picture picture : pictures) {
      assertTrue(picture.chart().get().getTitle().startsWith("Simulated: "), picture.name());
    }
    String text = SimReport.text(rows);
    assertTrue(text.contains("Simulated, not measured: exp-even on here"), text);
    assertTrue(text.contains("| simulated"), text);
    assertTrue(text.contains("140.0"), text);
  }
}
