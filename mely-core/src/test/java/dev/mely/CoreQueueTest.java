package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The ring of colors that wait for a core (requirements B1, B2). */
@Timeout(60)
class CoreQueueTest {
  private final StillMely machine = new StillMely(1, StealPolicy.OFF);
  private final CoreQueue queue = new CoreQueue();

  @Test
  void startsEmpty() {
    assertTrue(queue.isEmpty());
    assertEquals(0, queue.size());
    assertNull(queue.poll());
  }

  @Test
  void firstInFirstOut() {
    List<Color> colors = colors(5);
    colors.forEach(queue::offer);
    assertEquals(5, queue.size());
    for (Color color : colors) {
      assertFalse(queue.isEmpty());
      assertSame(color, queue.poll());
    }
    assertTrue(queue.isEmpty());
    assertNull(queue.poll());
  }

  /** A core may have many more colors than the ring starts with. */
  @Test
  void growsAndKeepsTheOrder() {
    List<Color> colors = colors(10_000);
    colors.forEach(queue::offer);
    assertEquals(10_000, queue.size());
    for (Color color : colors) {
      assertSame(color, queue.poll());
    }
    assertTrue(queue.isEmpty());
  }

  @Test
  void oneColorMayLieInItSeveralTimes() {
    Color color = colors(1).get(0);
    queue.offer(color);
    queue.offer(color);
    assertEquals(2, queue.size());
    assertSame(color, queue.poll());
    assertSame(color, queue.poll());
    assertNull(queue.poll());
  }

  /** The worker and thieves take each entry once, whoever is faster. */
  @Test
  void everyEntryIsTakenOnce() throws InterruptedException {
    int producers = 2;
    int consumers = 3;
    int each = 30_000;
    List<Color> colors = colors(producers * each);
    IdentityHashMap<Color, Integer> numbers = new IdentityHashMap<>();
    for (int i = 0; i < colors.size(); i++) {
      numbers.put(colors.get(i), i);
    }
    AtomicIntegerArray taken = new AtomicIntegerArray(colors.size());
    AtomicInteger left = new AtomicInteger(colors.size());
    Threads threads = new Threads();
    for (int p = 0; p < producers; p++) {
      int producer = p;
      threads.add(
          () -> {
            for (int i = 0; i < each; i++) {
              queue.offer(colors.get(producer * each + i));
            }
          });
    }
    for (int c = 0; c < consumers; c++) {
      threads.add(
          () -> {
            while (left.get() > 0) {
              Color color = queue.poll();
              if (color == null) {
                Thread.yield();
                continue;
              }
              taken.incrementAndGet(numbers.get(color));
              left.decrementAndGet();
            }
          });
    }
    threads.run();
    for (int i = 0; i < taken.length(); i++) {
      assertEquals(1, taken.get(i), "entry " + i);
    }
    assertTrue(queue.isEmpty());
  }

  /** An entry counts from the moment in which its producer has won its place. */
  @Test
  void isNeverEmptyForItsOwnProducer() throws InterruptedException {
    Color color = colors(1).get(0);
    AtomicInteger violations = new AtomicInteger();
    Threads producers = new Threads();
    for (int p = 0; p < 2; p++) {
      producers.add(
          () -> {
            for (int i = 0; i < 50_000; i++) {
              queue.offer(color);
              if (queue.isEmpty()) {
                violations.incrementAndGet();
              }
            }
          });
    }
    producers.run();
    assertEquals(0, violations.get());
    assertEquals(100_000, queue.size());
  }

  private List<Color> colors(int count) {
    List<Color> colors = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      colors.add(new Color(machine.scheduler, 0, false));
    }
    return colors;
  }
}
