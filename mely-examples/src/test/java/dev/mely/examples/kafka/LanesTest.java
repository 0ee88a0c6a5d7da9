package dev.mely.examples.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class LanesTest {
  private static final long COLUMN = 1_000_000_000L / Lanes.COLUMNS;

  private final Lanes lanes = new Lanes(2);

  private long at(long column) {
    return lanes.begin() + column * COLUMN + COLUMN / 2;
  }

  @Test
  void aKeyIsSeenWhereAndWhenItWasAtWork() {
    lanes.start();
    lanes.note(0, 'A', at(0), at(2));
    lanes.note(0, 'b', at(4), at(4));
    lanes.note(1, 'c', at(Lanes.COLUMNS - 1), at(Lanes.COLUMNS + 1));
    assertTrue(lanes.lane(0, 0).startsWith("AAA.b."), lanes.lane(0, 0));
    assertEquals(".".repeat(Lanes.COLUMNS - 1) + "c", lanes.lane(1, 0));
    assertTrue(lanes.lane(1, 1).startsWith("cc."), lanes.lane(1, 1));
  }

  @Test
  void whatIsLongAgoIsForgotten() {
    lanes.start();
    lanes.note(0, 'A', at(0), at(0));
    long later = 8L * Lanes.COLUMNS; // its cell is that of the first column
    assertEquals(".".repeat(Lanes.COLUMNS), lanes.lane(0, 8));
    lanes.note(0, 'b', at(0), at(later));
    assertTrue(lanes.lane(0, 8).startsWith("b."), lanes.lane(0, 8));
    assertEquals("b".repeat(Lanes.COLUMNS), lanes.lane(0, 7));
    assertEquals(".".repeat(Lanes.COLUMNS), lanes.lane(0, 3));
  }

  @Test
  void keysHaveLetters() {
    assertEquals("Abcz", "" + letter(0) + letter(1) + letter(2) + letter(25));
    assertEquals('b', letter(26));
  }

  private static char letter(int key) {
    return Lanes.letter(key);
  }
}
