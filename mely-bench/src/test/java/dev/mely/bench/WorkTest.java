package dev.mely.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class WorkTest {
  @Test
  void convertsThePapersCycles() {
    assertEquals(43, Work.nanos(100));
    assertEquals(21_459, Work.nanos(50_000));
  }

  @Test
  void isProportionalToTime() {
    int micro = Work.iterations(1_000);
    assertTrue(micro > 10, () -> micro + " iterations in a microsecond");
    assertEquals(1_000.0 * micro, Work.iterations(1_000_000), 1_000);
  }

  @Test
  void alwaysDoesSomething() {
    assertEquals(1, Work.iterations(0));
    assertNotEquals(7, Work.spin(1, 7));
  }
}
