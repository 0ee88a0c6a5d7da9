package dev.mely.bench.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class UsageTest {
  @Test
  void travelsAsALine() {
    Usage usage = new Usage(12, 34, 56);
    assertEquals(usage, Usage.parse(usage + "\n"));
  }

  @Test
  void subtracts() {
    assertEquals(new Usage(1, 2, 3), new Usage(11, 22, 33).since(new Usage(10, 20, 30)));
  }

  @Test
  void looksAtThisProcess() {
    assertTrue(Usage.ofThisProcess(0).cpuNanos() > 0);
  }

  @Test
  void refusesAnyOtherLine() {
    assertThrows(IllegalArgumentException.class, () -> Usage.parse("Killed"));
  }
}
