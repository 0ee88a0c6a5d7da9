package dev.mely.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class RetakesTest {
  private final Queue<Double> samples = new ArrayDeque<>(List.of(0.9, 0.4, 0.6, 0.1));

  private double take(String... args) throws Exception {
    Retakes retakes = CommandLine.populateCommand(new Retakes(0), args);
    return retakes.take(samples::remove, d -> d);
  }

  @Test
  void takesASampleAsItIs() throws Exception {
    assertEquals(0.9, take());
  }

  @Test
  void takesTheFirstWithinTheLimit() throws Exception {
    assertEquals(0.4, take("--others=0.5"));
  }
}
