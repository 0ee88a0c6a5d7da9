package dev.mely.bench.micro;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LoadTest {
  private final Load load = Load.unbalanced(Load.EVENTS);

  @Test
  void isThePapersMix() {
    assertEquals(50_000, load.events());
    int[] longer = all().filter(c -> c != 100).toArray();
    assertEquals(1_000, longer.length);
    assertTrue(IntStream.of(longer).allMatch(c -> 10_000 <= c && c <= 50_000));
    assertEquals(30_000, IntStream.of(longer).average().orElseThrow(), 1_000);
  }

  @Test
  void givesEachEventAColorOfItsOwn() {
    assertEquals(50_000, load.colors());
    assertEquals(50_000, IntStream.range(0, 50_000).map(load::color).distinct().count());
  }

  @Test
  void isTheSameEveryTime() {
    Load again = Load.unbalanced(Load.EVENTS);
    assertTrue(IntStream.range(0, 50_000).allMatch(i -> load.cycles(i) == again.cycles(i)));
  }

  @Test
  void letsFewerColorsTakeTurns() {
    Load shared = Load.unbalanced(10).withColors(4);
    assertEquals(4, shared.colors());
    assertEquals(1, shared.color(9));
  }

  @Test
  void isFoundByItsName() {
    assertEquals(load.colors(), Load.parse("unbalanced", Load.EVENTS).colors());
    assertEquals(1, Load.parse("one-color", 100).colors());
    Load small = Load.parse("all-short", 100);
    assertTrue(IntStream.range(0, 100).allMatch(i -> small.cycles(i) == 100));
  }

  @Test
  void declaresAMeanForEachTenThousandCycles() {
    assertEquals(100, Load.declared(100));
    assertEquals(15_000, Load.declared(10_000));
    assertEquals(45_000, Load.declared(50_000));
    assertEquals(5, all().map(Load::declared).distinct().count());
  }

  private IntStream all() {
    return IntStream.range(0, load.events()).map(load::cycles);
  }
}
