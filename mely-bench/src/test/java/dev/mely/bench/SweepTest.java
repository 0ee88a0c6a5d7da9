package dev.mely.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SweepTest {
  @TempDir private Path directory;

  @Test
  void drawsACurveForEachServerThatHasTheFigure() {
    Map<String, List<Map<String, Double>>> samples = new LinkedHashMap<>();
    samples.put("64 connections nio-a", List.of(Map.of("x", 1.0)));
    samples.put("64 connections nio-b", List.of(Map.of()));
    samples.put("1000 connections nio-a", List.of(Map.of("x", 2.0), Map.of("x", 4.0)));
    Score score = new Score("x", "x", 1, 0, true);
    Results results = new Results("stingy", "", score, Map.of(), Map.of(), samples);
    Sweep sweep = new Sweep(results);
    assertEquals(Map.of("nio-a", Map.of(64.0, 1.0, 1000.0, 3.0)), sweep.curves("x"));
    sweep.draw(directory, "drawn", "x", "unit");
    sweep.draw(directory, "nothing", "y", "unit");
    assertTrue(Files.exists(directory.resolve("drawn.svg")));
    assertFalse(Files.exists(directory.resolve("nothing.svg")));
  }
}
