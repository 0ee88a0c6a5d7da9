package dev.mely;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The ring of colors that wait for a core (requirements A3, B1, B2, B13). */
@Timeout(300)
class CoreQueueTest {
  private final StillMely machine = new StillMely(1, StealPolicy.OFF);
  private final CoreQueue queue = newQueue(false);

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

  /** The worker and thieves, in a race, take each entry once. */
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

  /** An entry counts from the moment in which its producer has won its place, in any lane. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void isNeverEmptyForItsOwnProducer(boolean urgent) throws InterruptedException {
    Color color = colors(1).get(0);
    Consumer<Color> offer = urgent ? queue::offerUrgent : queue::offer;
    AtomicInteger violations = new AtomicInteger();
    Threads producers = new Threads();
    for (int p = 0; p < 2; p++) {
      producers.add(
          () -> {
            for (int i = 0; i < 50_000; i++) {
              offer.accept(color);
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

  // ---- Lanes

  @Test
  void urgentColorsGoAheadInTheirOwnOrder() {
    List<Color> colors = colors(4);
    queue.offer(colors.get(2));
    queue.offer(colors.get(3));
    queue.offerUrgent(colors.get(0));
    queue.offerUrgent(colors.get(1));
    assertEquals(4, queue.size());
    for (Color color : colors) {
      assertSame(color, queue.poll());
    }
    assertTrue(queue.isEmpty());
  }

  @Test
  void urgentColorAloneIsNotOverlooked() {
    Color color = colors(1).get(0);
    queue.offerUrgent(color);
    assertFalse(queue.isEmpty());
    assertEquals(1, queue.size());
    assertSame(color, queue.poll());
    assertTrue(queue.isEmpty());
    assertNull(queue.poll());
  }

  @Test
  void urgentColorsStarveNobody() {
    List<Color> colors = colors(3);
    queue.offer(colors.get(1));
    queue.offer(colors.get(2));
    queue.offerUrgent(colors.get(0));
    List<Color> others = new ArrayList<>();
    int turns = 0;
    while (others.size() < 2) {
      Color color = queue.poll();
      if (color == colors.get(0)) {
        queue.offerUrgent(color);
      } else {
        others.add(color);
      }
      assertTrue(++turns <= 2 * Turns.max(false), "starves");
    }
    assertEquals(colors.subList(1, 3), others);
    assertTrue(turns > 4, "urgent colors had the most turns");
  }

  @Test
  void whatIsUrgentOrShortIsPreferred() {
    CoreQueue ordered = newQueue(true);
    List<Color> colors = colors(4);
    ordered.offer(colors.get(0), 64_000);
    ordered.offer(colors.get(1), Long.MAX_VALUE);
    queue.offer(colors.get(0));
    assertFalse(ordered.hasPreferred());
    assertFalse(queue.hasPreferred());
    ordered.offer(colors.get(2), 63_999);
    queue.offerUrgent(colors.get(3));
    assertTrue(ordered.hasPreferred());
    assertTrue(queue.hasPreferred());
  }

  @Test
  void costOrdersTheColorsOnlyIfItShall() {
    CoreQueue ordered = newQueue(true);
    assertTrue(ordered.isOrderedByCost());
    assertFalse(queue.isOrderedByCost());
    long[] expected = {1_000_000, 20_000, 5_000, 0, 6_000};
    List<Color> colors = colors(expected.length);
    for (int i = 0; i < expected.length; i++) {
      ordered.offer(colors.get(i), expected[i]);
      queue.offer(colors.get(i), expected[i]);
    }
    assertEquals(expected.length, ordered.size());
    for (int cheapest : new int[] {3, 2, 4, 1, 0}) {
      assertFalse(ordered.isEmpty());
      assertSame(colors.get(cheapest), ordered.poll());
    }
    assertTrue(ordered.isEmpty());
    for (Color color : colors) {
      assertSame(color, queue.poll());
    }
  }

  /** Also those of the urgent lane, which opens while the consumer is at work. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void entriesOfEveryLaneAreTakenOnce(boolean cheapestFirst) throws InterruptedException {
    int producers = 3;
    int each = 20_000;
    long[] costs = {0, 5_000, 20_000, 1_000_000};
    for (int round = 0; round < 5; round++) {
      CoreQueue racing = newQueue(cheapestFirst);
      int kinds = costs.length + 1;
      List<Color> colors = colors(producers * kinds);
      IdentityHashMap<Color, Integer> numbers = new IdentityHashMap<>();
      for (int i = 0; i < colors.size(); i++) {
        numbers.put(colors.get(i), i);
      }
      int[] taken = new int[colors.size()];
      AtomicInteger overlooked = new AtomicInteger();
      Threads threads = new Threads();
      for (int p = 0; p < producers; p++) {
        int first = p * kinds;
        threads.add(
            () -> {
              for (int i = 0; i < each; i++) {
                int kind = i % kinds;
                Color color = colors.get(first + kind);
                if (kind < costs.length) {
                  racing.offer(color, costs[kind]);
                } else {
                  racing.offerUrgent(color);
                }
              }
            });
      }
      threads.add(
          () -> {
            for (int left = producers * each; left > 0; ) {
              Color color = racing.poll();
              if (color != null) {
                taken[numbers.get(color)]++;
                left--;
              } else {
                Thread.yield();
              }
            }
            if (racing.poll() != null) {
              overlooked.incrementAndGet();
            }
          });
      threads.run();
      for (int i = 0; i < taken.length; i++) {
        assertEquals(each / kinds, taken[i], "color " + i);
      }
      assertEquals(0, overlooked.get());
      assertTrue(racing.isEmpty());
      assertEquals(0, racing.size());
    }
  }

  /** For a thief that takes an entry and must not keep it. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void entryGoesBackToTheLaneItCameFrom(boolean cheapestFirst) {
    CoreQueue lanes = newQueue(cheapestFirst);
    List<Color> colors = colors(3);
    lanes.offer(colors.get(2), 1_000_000);
    lanes.offer(colors.get(1), 1_000_000);
    lanes.offerUrgent(colors.get(0));
    int[] before = lanes.sizes();
    for (int i = 0; i < 2; i++) {
      int lane = lanes.laneForThief();
      assertSame(colors.get(0), lanes.poll(lane));
      lanes.putBack(colors.get(0), lane);
      assertArrayEquals(before, lanes.sizes());
    }
    assertSame(colors.get(0), lanes.poll());
    int lane = lanes.laneForThief();
    assertSame(colors.get(2), lanes.poll(lane));
    lanes.putBack(colors.get(2), lane);
    assertSame(colors.get(1), lanes.poll(), "behind those of its lane");
    assertSame(colors.get(2), lanes.poll());
    assertNull(lanes.poll(lanes.laneForThief()));
  }

  // ---- The end

  /** It may go ahead of all others in the order of cost, and is no reason to forget them. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void everyEntryIsDrainedThoughOneComesBack(boolean cheapestFirst) {
    CoreQueue lanes = newQueue(cheapestFirst);
    List<Color> colors = colors(4);
    lanes.offerUrgent(colors.get(0));
    lanes.offer(colors.get(1), 1);
    lanes.offer(colors.get(2), 20_000);
    lanes.offer(colors.get(3), 1_000_000);
    List<Color> drained = new ArrayList<>();
    lanes.drain(
        color -> {
          drained.add(color);
          assertTrue(drained.size() <= 100, "for ever");
          if (color == colors.get(1)) {
            lanes.offer(color, 1);
          }
        });
    assertTrue(drained.containsAll(colors), drained::toString);
    assertEquals(1, lanes.size());
  }

  /** Workers that leave and the thread that closes do so at once. */
  @Test
  void twoThatDrainLeaveNothing() throws InterruptedException {
    List<Color> colors = colors(200);
    AtomicInteger drained = new AtomicInteger();
    for (int round = 0; round < 500; round++) {
      colors.forEach(queue::offer);
      drained.set(0);
      Threads threads = new Threads();
      for (int i = 0; i < 2; i++) {
        threads.add(() -> queue.drain(color -> drained.incrementAndGet()));
      }
      threads.run();
      assertEquals(colors.size(), drained.get());
    }
  }

  // ---- Full

  /** As when memory runs out: somebody is told, and the queue is as it was. */
  @Test
  void fullQueueRefusesAndKeepsWhatItHas() {
    List<Color> refused = new ArrayList<>();
    CoreQueue small = new CoreQueue(new TurnOrder(false), 4, (color, why) -> refused.add(color));
    List<Color> colors = colors(5);
    colors.subList(0, 4).forEach(small::offer);
    for (int i = 0; i < 3; i++) {
      small.offer(colors.get(4));
    }
    assertEquals(Collections.nCopies(3, colors.get(4)), refused);
    assertEquals(4, small.size());
    assertSame(colors.get(0), small.poll());
    small.offer(colors.get(4));
    for (Color color : colors.subList(1, 5)) {
      assertSame(color, small.poll());
    }
    assertTrue(small.isEmpty());
  }

  private static CoreQueue newQueue(boolean cheapestFirst) {
    return new CoreQueue(new TurnOrder(cheapestFirst), CoreQueue.MAX_CAPACITY, (color, why) -> {});
  }

  private List<Color> colors(int count) {
    List<Color> colors = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      colors.add(new Color(machine.host, 0, false));
    }
    return colors;
  }
}
