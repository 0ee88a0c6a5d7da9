package dev.mely;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Worthy colors in three intervals (requirement B5). */
@Timeout(300)
class StealingQueueTest {
  private static final int CAPACITY = 4;

  private final StillMely machine = new StillMely(1, StealPolicy.OFF);
  private final StealingQueue queue = new StealingQueue(CAPACITY, false);

  @Test
  void startsEmpty() {
    assertTrue(queue.isEmpty());
    assertEquals(0, queue.size());
    assertNull(queue.poll());
  }

  @Test
  void isInUseFromTheFirstOfferOn() {
    assertFalse(queue.isInUse());
    Color color = colors(1).get(0);
    queue.offer(color, 0);
    assertTrue(queue.isInUse());
    queue.discard(color, 0);
    assertTrue(queue.isEmpty());
    assertTrue(queue.isInUse(), "there may be more at any time");
  }

  @Test
  void highestIntervalComesFirst() {
    List<Color> colors = colors(6);
    for (int i = 0; i < 6; i++) {
      queue.offer(colors.get(i), i % StealingQueue.INTERVALS);
    }
    assertEquals(6, queue.size());
    for (int i : new int[] {2, 5, 1, 4, 0, 3}) {
      assertFalse(queue.isEmpty());
      assertSame(colors.get(i), queue.poll());
    }
    assertTrue(queue.isEmpty());
  }

  @Test
  void isNotEmptyWhicheverIntervalHasAnEntry() {
    for (int interval = 0; interval < StealingQueue.INTERVALS; interval++) {
      queue.offer(colors(1).get(0), interval);
      assertFalse(queue.isEmpty());
      int[] one = new int[StealingQueue.INTERVALS];
      one[interval] = 1;
      assertArrayEquals(one, queue.sizes());
      queue.poll();
      assertTrue(queue.isEmpty());
    }
  }

  @Test
  void thoseOfTheHighestIntervalAreLarge() {
    StealingQueue asTheyCame = new StealingQueue(CAPACITY, true);
    List<Color> colors = colors(4);
    for (int i = 0; i < 4; i++) {
      queue.offer(colors.get(i), i == 0 ? 0 : i - 1);
      asTheyCame.offer(colors.get(i), i == 0 ? 0 : i - 1);
    }
    assertEquals(1, queue.large());
    assertEquals(4, asTheyCame.large());
  }

  @Test
  void fullIntervalDropsItsOldest() {
    List<Color> colors = colors(CAPACITY + 2);
    colors.forEach(color -> queue.offer(color, 1));
    assertEquals(CAPACITY, queue.size());
    for (Color color : colors.subList(2, CAPACITY + 2)) {
      assertSame(color, queue.poll());
    }
    assertNull(queue.poll());
  }

  @Test
  void fullIntervalTakesNoPlaceFromTheOthers() {
    List<Color> colors = colors(CAPACITY + 3);
    queue.offer(colors.get(0), 0);
    queue.offer(colors.get(1), 2);
    colors.subList(2, CAPACITY + 3).forEach(color -> queue.offer(color, 1));
    assertEquals(CAPACITY + 2, queue.size());
    assertSame(colors.get(1), queue.poll());
    for (int i = 0; i < CAPACITY; i++) {
      queue.poll();
    }
    assertSame(colors.get(0), queue.poll());
  }

  @Test
  void discardsTheOldestOfItsInterval() {
    List<Color> colors = colors(2);
    colors.forEach(color -> queue.offer(color, 0));
    queue.discard(colors.get(0), 0);
    assertEquals(1, queue.size());
    assertSame(colors.get(1), queue.poll());
  }

  @Test
  void discardLeavesWhatIsNotTheOldestOrElsewhere() {
    List<Color> colors = colors(2);
    queue.offer(colors.get(0), 0);
    queue.offer(colors.get(1), 0);
    queue.discard(colors.get(1), 0);
    queue.discard(colors.get(0), 2);
    assertEquals(2, queue.size());
    assertSame(colors.get(0), queue.poll());
    assertSame(colors.get(1), queue.poll());
    queue.discard(colors.get(1), 0);
    assertTrue(queue.isEmpty());
  }

  /** Producers, thieves and the owner at once: entries may be dropped, never doubled. */
  @Test
  void noEntryIsTakenTwice() throws InterruptedException {
    List<Color> colors = colors(60_000);
    IdentityHashMap<Color, Integer> numbers = new IdentityHashMap<>();
    for (int i = 0; i < colors.size(); i++) {
      numbers.put(colors.get(i), i);
    }
    AtomicIntegerArray taken = new AtomicIntegerArray(colors.size());
    AtomicBoolean done = new AtomicBoolean();
    Threads threads = new Threads();
    for (int t = 0; t < 2; t++) {
      threads.add(
          () -> {
            while (!done.get() || !queue.isEmpty()) {
              Color color = queue.poll();
              if (color != null) {
                taken.incrementAndGet(numbers.get(color));
              }
            }
          });
    }
    threads.add(
        () -> {
          for (int i = 0; i < colors.size(); i++) {
            queue.offer(colors.get(i), i % StealingQueue.INTERVALS);
            if (i >= 2) {
              queue.discard(colors.get(i - 2), (i - 2) % StealingQueue.INTERVALS);
            }
          }
          done.set(true);
        });
    threads.run();
    for (int i = 0; i < taken.length(); i++) {
      assertTrue(taken.get(i) <= 1, "entry " + i);
    }
    assertEquals(0, queue.size());
  }

  private List<Color> colors(int count) {
    List<Color> colors = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      colors.add(new Color(machine.host, 0, false));
    }
    return colors;
  }
}
