package dev.mely.examples.kv;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class DictionaryTest {
  private static final long SEED = Long.getLong("mely.kv.seed", 1);

  private final Dictionary dictionary = new Dictionary();
  private final Map<Integer, Entry> there = new HashMap<>();

  /** A poor hash, so that buckets are shared. */
  private static long hash(int number) {
    return number * 0x9e3779b97f4a7c15L >>> 20;
  }

  private static byte[] key(int number) {
    return Numbers.text(number);
  }

  private void add(int number) {
    Entry entry = new Entry(key(number), hash(number), key(number));
    dictionary.add(entry);
    there.put(number, entry);
  }

  private void remove(int number) {
    dictionary.remove(there.remove(number));
  }

  @Test
  void likeAMap() {
    System.out.println("dictionary: -Dmely.kv.seed=" + SEED);
    SplittableRandom random = new SplittableRandom(SEED);
    for (int i = 0; i < 200_000; i++) {
      int number = random.nextInt(i % 50_000 < 25_000 ? 5_000 : 50);
      Entry entry = dictionary.get(key(number), hash(number));
      assertSame(there.get(number), entry);
      if (entry == null) {
        add(number);
      } else {
        remove(number);
        assertTrue(entry.removed);
      }
      assertEquals(there.size(), dictionary.size());
    }
    dictionary.clear();
    assertNull(dictionary.get(key(1), hash(1)));
    assertEquals(0, dictionary.size());
  }

  /** What is there all the time is found, however much is added and removed meanwhile. */
  @Test
  void aScanFindsAllThatStays() {
    SplittableRandom random = new SplittableRandom(SEED);
    for (int round = 0; round < 200; round++) {
      dictionary.clear();
      there.clear();
      int stay = 1 + random.nextInt(300);
      for (int i = 0; i < stay; i++) {
        add(i);
      }
      Set<String> found = new HashSet<>();
      boolean grows = random.nextBoolean();
      if (!grows) {
        for (int i = 0; i < 3_000; i++) {
          add(1_000 + i);
        }
      }
      int next = 1_000;
      long cursor = 0;
      do {
        cursor = dictionary.scan(cursor, e -> found.add(new Bytes(e.key).toString()));
        for (int n = random.nextInt(50); n > 0 && next < 4_000; n--) {
          if (grows) {
            add(next++);
          } else {
            remove(next++);
          }
        }
      } while (cursor != 0);
      for (int i = 0; i < stay; i++) {
        assertTrue(found.contains("" + i), "round " + round + ": " + i + " of " + stay);
      }
    }
  }
}
