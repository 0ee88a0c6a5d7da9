package dev.mely.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class SpreadTest {
  @Test
  void takesTheMiddleSample() {
    assertEquals(new Spread(3, 1, 9), Spread.of(9, 1, 3));
    assertEquals(new Spread(2, 1, 9), Spread.of(9, 1, 3, 1));
  }

  @Test
  void pairsSamplesByTheirPlace() {
    assertEquals(
        new Spread(2, 0.5, 4), Spread.ofRatios(new double[] {1, 6, 8}, new double[] {2, 3, 2}));
  }

  @Test
  void refusesWhatHasNoMiddle() {
    assertThrows(IllegalArgumentException.class, Spread::of);
    assertThrows(
        IllegalArgumentException.class, () -> Spread.ofRatios(new double[1], new double[2]));
  }

  @Test
  void writesMedianAndRange() {
    assertEquals("2.00 (0.50–4.00)", new Spread(2, 0.5, 4).toString());
    assertEquals("0.5–4.0", new Spread(2, 0.5, 4).range(1));
  }
}
