package dev.mely.bench.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** What took longer than it was to was interrupted meanwhile. */
class StandstillsTest {
  @Test
  void whatTakesLongerWasInterrupted() {
    Standstills seen = new Standstills();
    assertEquals(0, seen.between());
    seen.took(10_000, 4_000);
    seen.took(4_100, 4_000);
    assertEquals(8_100, seen.between(), "from the end of one to the next");
    Costs costs = seen.in(Costs.free());
    assertEquals(List.of(6_000.0), costs.interruptions());
    assertEquals(8_100, costs.betweenInterruptions());
  }

  /** The few longest make the tail: a mean of them with others would not. */
  @Test
  void everySingleOneIsDrawnFrom() {
    Standstills seen = new Standstills();
    for (int i = 0; i < 1_000; i++) {
      seen.took(i == 500 ? 3_004_000 : 24_000, 4_000);
    }
    Standstills all = new Standstills();
    all.add(seen);
    all.add(new Standstills());
    List<Double> lengths = all.in(Costs.free()).interruptions();
    assertEquals(1_000, lengths.size());
    assertTrue(lengths.contains(3_000_000.0));
    assertEquals(4_000, all.between());
  }

  /** It is said to take no time: that is one interruption, as long as it takes. */
  @Test
  void whoWorksLooksAtTheClock() {
    Standstills seen = new Standstills();
    long result = seen.work(1_000_000, 1, 1);
    assertTrue(result != 1);
    Costs costs = seen.in(Costs.free());
    assertEquals(1, costs.interruptions().size(), "one look, and it took far longer");
  }
}
