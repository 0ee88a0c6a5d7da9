package dev.mely.examples.demo;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How many busy connections each event loop has. */
class PlacementTest {
  @ParameterizedTest
  @CsvSource({
    // percent busy, uneven, loops, busy ones of each loop
    "0,   100, 2, 0 0",
    "100,   0, 2, 16 16",
    "100, 100, 2, 16 16",
    "25,    0, 2, 4 4",
    "25,  100, 2, 8 0",
    "25,   50, 2, 6 2",
    "10,  100, 2, 3 0",
    "75,  100, 2, 16 8",
    "25,  100, 1, 8",
    "25,  100, 4, 8 0 0 0",
    "25,    0, 4, 2 2 2 2",
    "50,  100, 4, 8 2 3 3",
    "25,  100, 3, 8 0 0",
    "3,   100, 2, 1 0",
    "1,   100, 2, 0 0",
    "25,  100, 16, 2 0 0 0 0 0 0 0 0 0 1 1 1 1 1 1",
    "100, 100, 40, 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 0 0 0 0 0 0 0 0"
  })
  void busyOnesOfEachLoop(int busy, int uneven, int cores, String expected) {
    int[] loops = new int[cores];
    boolean[] placed = Placement.busy(new Settings(busy, uneven, 500, cores, 0, 0, false));
    for (int i = 0; i < placed.length; i++) {
      loops[i % cores] += placed[i] ? 1 : 0;
    }
    String[] counts = expected.split(" ");
    int[] expectedLoops = new int[counts.length];
    for (int i = 0; i < counts.length; i++) {
      expectedLoops[i] = Integer.parseInt(counts[i]);
    }
    assertArrayEquals(expectedLoops, loops);
  }
}
