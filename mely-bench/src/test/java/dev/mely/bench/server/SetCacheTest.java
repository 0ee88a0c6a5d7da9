package dev.mely.bench.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The model beside sequences by hand, and beside the simplest program that does the same. */
class SetCacheTest {
  private static long misses(SetCache cache, int... lines) {
    for (int line : lines) {
      cache.touch((long) line * SetCache.LINE, 1);
    }
    return cache.misses();
  }

  /** Four sets of one line: 0, 4 and 8 want the same place. */
  @Test
  void directMapped() {
    assertEquals(4, misses(new SetCache(256, 1), 0, 1, 2, 3, 0, 1, 2, 3));
    assertEquals(6, misses(new SetCache(256, 1), 0, 4, 0, 4, 0, 4));
    assertEquals(4, misses(new SetCache(256, 1), 0, 1, 4, 1, 0));
  }

  /** Two sets of two lines: even lines in one, odd ones in the other; the oldest goes. */
  @Test
  void twoWays() {
    assertEquals(2, misses(new SetCache(256, 2), 0, 2, 0, 2, 0, 2));
    assertEquals(6, misses(new SetCache(256, 2), 0, 2, 4, 0, 2, 4));
    // 4 puts out 2, since 0 was used again; then 2 puts out 0, and 0 puts out 4.
    assertEquals(5, misses(new SetCache(256, 2), 0, 2, 0, 4, 0, 4, 2, 4, 0));
    assertEquals(4, misses(new SetCache(256, 2), 0, 1, 2, 3, 3, 2, 1, 0));
  }

  @Test
  void aStretchTouchesEachOfItsLines() {
    SetCache cache = new SetCache(1024, 4);
    cache.touch(63, 2);
    assertEquals(2, cache.misses());
    cache.touch(0, 128);
    assertEquals(2, cache.misses());
    cache.touch(500, 0);
    assertEquals(2, cache.misses());
    cache.touch(128, 64);
    assertEquals(3, cache.misses());
  }

  @Test
  void sizesThatMakeNoSets() {
    assertThrows(IllegalArgumentException.class, () -> new SetCache(64, 2));
    assertThrows(IllegalArgumentException.class, () -> new SetCache(192, 2));
    assertThrows(IllegalArgumentException.class, () -> new SetCache(64, 0));
  }

  @Test
  void asTheSimplestProgramHasIt() {
    Random random = new Random(7);
    for (int round = 0; round < 200; round++) {
      int ways = 1 + random.nextInt(5);
      int sets = 1 + random.nextInt(6);
      SetCache cache = new SetCache((long) sets * ways * SetCache.LINE, ways);
      List<Deque<Long>> simple = new ArrayList<>();
      for (int i = 0; i < sets; i++) {
        simple.add(new ArrayDeque<>());
      }
      long expected = 0;
      for (int i = 0; i < 300; i++) {
        long line = random.nextInt(2 * sets * ways);
        cache.touch(line * SetCache.LINE + random.nextInt(SetCache.LINE), 1);
        Deque<Long> set = simple.get((int) (line % sets));
        if (!set.remove(line)) {
          expected++;
          if (set.size() == ways) {
            set.removeLast();
          }
        }
        set.addFirst(line);
        assertEquals(expected, cache.misses());
      }
    }
  }
}
