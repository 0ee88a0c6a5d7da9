package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The lane that a core's worker has for itself, and what others see of it. */
@Timeout(300)
class OwnLaneTest {
  private static final int PLACES = 8;

  private final StillMely machine = new StillMely(2, StealPolicy.OFF);
  private final OwnLane lane = new OwnLane(PLACES);
  private final int[] lookedAt = new int[2];

  @Test
  void startsEmpty() {
    assertTrue(lane.isEmpty());
    assertEquals(0, lane.size());
    assertEquals(PLACES - 1, lane.room());
    assertNull(lane.poll());
    assertNull(lane.running());
  }

  /** Through its numbers' remainders many times over. */
  @Test
  void firstInFirstOutWithTheRunningOneBefore() {
    SplittableRandom random = new SplittableRandom(1);
    ArrayDeque<Color> model = new ArrayDeque<>();
    Color running = null;
    for (int i = 0; i < 10_000; i++) {
      if (random.nextBoolean() && lane.room() > 0) {
        Color color = color(0);
        lane.add(color);
        model.add(color);
      } else {
        Color color = lane.poll();
        assertSame(model.poll(), color);
        running = color != null ? color : running;
      }
      if (random.nextInt(4) == 0) {
        lane.letGo();
        running = null;
      }
      assertSame(running, lane.running(), "full or not");
      assertEquals(model.size(), lane.size());
      assertEquals(model.isEmpty(), lane.isEmpty());
      assertEquals(PLACES - 1, lane.room() + lane.size());
    }
  }

  @Test
  void runningColorMayComeFromElsewhere() {
    Color color = color(0);
    lane.add(color(0));
    lane.hold(color);
    assertSame(color, lane.running());
    assertEquals(1, lane.size());
    lane.letGo();
    assertNull(lane.running());
    assertEquals(1, lane.size());
  }

  /** A queue without a lane of its own still knows what runs. */
  @Test
  void onePlaceHoldsNothingButWhatRuns() {
    OwnLane none = new OwnLane(1);
    assertEquals(0, none.room());
    Color color = color(0);
    none.hold(color);
    assertSame(color, none.running());
    assertNull(none.poll());
    none.letGo();
    assertNull(none.running());
  }

  // ---- Others

  /** What runs, is idle, or has moved away is stale. */
  @Test
  void findsWhatWaitsThereAndGoesOnBehindIt() {
    Color running = color(0);
    Color stale = color(0);
    Color moved = color(1);
    Color first = color(0);
    Color second = color(0);
    assertTrue(stale.claim(0, 1));
    for (Color color : List.of(running, stale, moved, first, second)) {
      lane.add(color);
    }
    assertSame(running, lane.poll());
    assertSame(first, lane.find(0, lookedAt));
    assertSame(second, lane.find(0, lookedAt));
    assertSame(first, lane.find(0, lookedAt), "behind the last one, from the oldest");
    assertSame(moved, lane.find(1, lookedAt));
    assertEquals(4, lane.size(), "who looks removes nothing");
    assertTrue(first.claim(0, 1) && second.claim(0, 1));
    assertNull(lane.find(0, lookedAt), "the running color, or one of another core");
  }

  /** A place that is long gone, or not there yet, is no place to begin. */
  @Test
  void looksFromTheOldestIfThePlaceIsGone() {
    for (int i = 0; i < 3 * PLACES; i++) {
      lane.add(color(0));
      lane.poll();
    }
    Color oldest = color(0);
    lane.add(oldest);
    lane.add(color(0));
    for (int from : new int[] {0, 3 * PLACES - 1, 3 * PLACES + 2, 1_000, -5}) {
      lookedAt[0] = from;
      assertSame(oldest, lane.find(0, lookedAt), "from " + from);
    }
  }

  /** Whatever others find has been put there, complete, and each is taken once by its state. */
  @Test
  void eachColorIsTakenOnceByWhoeverIsFaster() throws InterruptedException {
    int rounds = 200_000;
    AtomicBoolean over = new AtomicBoolean();
    AtomicInteger stolen = new AtomicInteger();
    int[] own = new int[1];
    Threads threads = new Threads();
    threads.add(
        () -> {
          for (int i = 0; i < rounds; ) {
            if (lane.room() > i % (PLACES - 1)) {
              lane.add(color(0));
              i++;
            }
            own[0] += takeOne();
          }
          while (!lane.isEmpty()) {
            own[0] += takeOne();
          }
          over.set(true);
        });
    threads.add(
        () -> {
          while (!over.get()) {
            Color found = lane.find(0, lookedAt);
            if (found != null && found.claim(0, 1)) {
              stolen.incrementAndGet();
            }
            lane.peek(PLACES, Color::core);
          }
        });
    threads.run();
    assertEquals(rounds, own[0] + stolen.get());
    assertNull(lane.running());
  }

  private int takeOne() {
    Color color = lane.poll();
    boolean mine = color != null && color.claim(0, 0);
    lane.letGo();
    return mine ? 1 : 0;
  }

  // ---- The core-queue around it

  /** The order is that of a single queue, for any mix of producers. */
  @Test
  void workersLaneKeepsTheOrder() {
    for (long seed = 0; seed < 20; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      CoreQueue queue =
          new CoreQueue(new TurnOrder(false), CoreQueue.MAX_CAPACITY, (color, why) -> {});
      ArrayDeque<Color> model = new ArrayDeque<>();
      List<Color> colors = new ArrayList<>();
      for (int i = 0; i < 3_000; i++) {
        colors.add(color(0));
      }
      for (int i = 0; i < 20_000; i++) {
        boolean fills = i / 4_000 % 2 == 0;
        Color color = colors.get(i % colors.size());
        if (random.nextInt(10) < (fills ? 3 : 8)) {
          assertSame(model.poll(), queue.take(), "seed " + seed + ", step " + i);
        } else if (random.nextInt(3) == 0) {
          queue.offer(color);
          model.add(color);
        } else {
          queue.offerOwn(color);
          model.add(color);
        }
        assertEquals(model.size(), queue.size());
        assertEquals(model.isEmpty(), queue.isEmpty());
      }
    }
  }

  /** They are told apart from the first urgent color on, which goes ahead of what lay there. */
  @Test
  void urgentColorGoesAheadOfTheWorkersLane() {
    CoreQueue queue =
        new CoreQueue(new TurnOrder(false), CoreQueue.MAX_CAPACITY, (color, why) -> {});
    Color own = color(0);
    Color other = color(0);
    Color urgent = color(0);
    queue.offerOwn(own);
    queue.offerUrgent(urgent);
    queue.offerOwn(other);
    assertEquals(3, queue.size());
    assertSame(urgent, queue.take());
    assertSame(own, queue.take());
    assertSame(other, queue.take());
    assertTrue(queue.isEmpty());
    assertNull(queue.take());
  }

  @Test
  void drainShowsTheWorkersLaneAndTheWorkerEmptiesIt() {
    CoreQueue queue =
        new CoreQueue(new TurnOrder(false), CoreQueue.MAX_CAPACITY, (color, why) -> {});
    Color own = color(0);
    Color other = color(0);
    queue.offerOwn(own);
    queue.offer(other);
    List<Color> drained = new ArrayList<>();
    queue.drain(drained::add);
    assertEquals(List.of(own, other), drained);
    assertFalse(queue.isEmpty());
    queue.leave(drained::add);
    assertEquals(List.of(own, other, own), drained);
    assertTrue(queue.isEmpty());
    assertNull(queue.own().running());
  }

  /** For a thief: it stays where it is. */
  @Test
  void entryOfTheWorkersLaneStaysThere() {
    CoreQueue queue =
        new CoreQueue(new TurnOrder(false), CoreQueue.MAX_CAPACITY, (color, why) -> {});
    Color own = color(0);
    queue.offerOwn(own);
    assertNull(queue.poll(queue.laneForThief()), "not in the shared lanes");
    assertSame(own, queue.own().find(0, lookedAt));
    assertEquals(1, queue.size());
    assertSame(own, queue.take());
  }

  /** Its event is not linked yet. */
  @Test
  void colorThatComesBackWhileTheWorkerLeavesIsNotTakenForEver() {
    CoreQueue queue =
        new CoreQueue(new TurnOrder(false), CoreQueue.MAX_CAPACITY, (color, why) -> {});
    queue.offerOwn(color(0));
    queue.offerOwn(color(0));
    List<Color> left = new ArrayList<>();
    queue.leave(
        color -> {
          left.add(color);
          assertTrue(left.size() <= 2, "for ever");
          queue.offerOwn(color);
        });
    assertEquals(2, left.size());
  }

  private Color color(int core) {
    Color color = new Color(machine.host, core, false);
    color.queue(core);
    return color;
  }
}
