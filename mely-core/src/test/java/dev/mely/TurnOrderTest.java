package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which lane goes next, and how long the others wait (requirements A3, B13). */
class TurnOrderTest {
  /** As the Javadoc has them. */
  @Test
  void rotationHasOneLaneForAllThatIsNotUrgent() {
    TurnOrder order = new TurnOrder(false);
    assertEquals(2, order.lanes());
    for (long nanos : new long[] {0, 4_000, 1_000_000, Long.MAX_VALUE}) {
      assertEquals(1, order.lane(nanos));
    }
  }

  @Test
  void lanesBeginAtTheirBounds() {
    TurnOrder order = new TurnOrder(true);
    assertEquals(6, order.lanes());
    long[] nanos = {0, 3_999, 4_000, 15_999, 16_000, 63_999, 64_000, Long.MAX_VALUE - 1};
    List<Integer> lanes = new ArrayList<>();
    for (long expected : nanos) {
      lanes.add(order.lane(expected));
    }
    assertEquals(List.of(1, 1, 2, 2, 3, 3, 4, 4), lanes);
    assertEquals(4, order.firstLong());
    assertEquals(1, new TurnOrder(false).firstLong());
  }

  @Test
  void longBackgroundBatchesHaveTheLastLane() {
    TurnOrder order = new TurnOrder(true);
    long[] nanos = {0, 4_000, 16_000, 63_999, 64_000, 500_000};
    List<Integer> lanes = new ArrayList<>();
    for (long expected : nanos) {
      lanes.add(order.lane(TurnOrder.inBackground(expected)));
    }
    assertEquals(List.of(1, 2, 3, 3, 5, 5), lanes);
    assertEquals(1, new TurnOrder(false).lane(TurnOrder.inBackground(500_000)));
  }

  @Test
  void lowestLaneGoesFirst() {
    TurnOrder order = new TurnOrder(true);
    assertEquals(0, order.next(0b111111));
    assertEquals(1, order.next(0b111110));
    assertEquals(2, order.next(0b111100));
    assertEquals(3, order.next(0b111000));
    assertEquals(4, order.next(0b110000));
    assertEquals(5, order.next(0b100000));
  }

  @Test
  void urgentTurnsAreMoreThanOthersButNotAll() {
    TurnOrder order = new TurnOrder(false);
    for (int round = 0; round < 5; round++) {
      assertEquals(16, turnsBefore(order, 1, 0b11), "urgent turns before another");
    }
  }

  /** Sixteen light batches do not pay for a heavy one, nor do they wait for sixteen heavy ones. */
  @Test
  void lanesAgeByTheTimeThatPassesThem() {
    TurnOrder order = new TurnOrder(true);
    for (int round = 0; round < 3; round++) {
      assertEquals(128, turnsBefore(order, 4, 0b10010), "turns below 4 us");
      assertEquals(32, turnsBefore(order, 4, 0b10100), "turns below 16 us");
      assertEquals(8, turnsBefore(order, 4, 0b11000), "turns below 64 us");
      assertEquals(4, turnsBefore(order, 5, 0b110000), "long turns before one in the background");
      assertEquals(2, turnsBefore(order, 1, 0b00011), "urgent turns");
    }
  }

  @Test
  void mostExpensiveOfThoseThatAreDueGoesFirst() {
    TurnOrder order = new TurnOrder(true);
    for (int i = 0; i < 96; i++) {
      assertEquals(1, order.next(0b10010));
    }
    for (int i = 0; i < 32; i++) {
      assertEquals(1, order.next(0b11010));
    }
    // 128 have passed lane 4 now, and 32 lane 3.
    assertEquals(4, order.next(0b11010));
    assertEquals(3, order.next(0b11010));
    assertEquals(1, order.next(0b11010));
  }

  /** A lane that was empty begins to wait anew. */
  @Test
  void patienceIsForgottenWithTheWait() {
    TurnOrder order = new TurnOrder(false);
    for (int i = 0; i < 15; i++) {
      assertEquals(0, order.next(0b11));
    }
    assertEquals(0, order.next(0b01), "nothing else waits");
    assertEquals(16, turnsBefore(order, 1, 0b11));
  }

  /** The bound of the Javadoc, with whatever comes and in whichever lane. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void waitIsBounded(boolean cheapestFirst) {
    int[] charges = cheapestFirst ? Turns.CHEAPEST : Turns.ROTATION;
    int sum = 0;
    for (int charge : charges) {
      sum += charge;
    }
    for (int seed = 0; seed < 200; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      new Crowd(cheapestFirst, charges, sum, seed, random).run();
    }
  }

  private static int turnsBefore(TurnOrder order, int lane, int waiting) {
    int turns = 0;
    while (order.next(waiting) != lane) {
      turns++;
      assertTrue(turns < 10_000, () -> "lane " + lane + " starves");
    }
    return turns;
  }

  /** Colors in lanes; each knows what has been charged, and who was before it, when it came. */
  private static final class Crowd {
    private final TurnOrder order;
    private final int maxTurns;
    private final int[] charges;
    private final int sum;
    private final int seed;
    private final SplittableRandom random;
    private final List<ArrayDeque<long[]>> lanes = new ArrayList<>();

    /** How likely it is that a color comes to a lane, in percent. */
    private final int[] likely;

    private long charged;
    private long turns;

    Crowd(boolean cheapestFirst, int[] charges, int sum, int seed, SplittableRandom random) {
      this.order = new TurnOrder(cheapestFirst);
      this.maxTurns = Turns.max(cheapestFirst);
      this.charges = charges;
      this.sum = sum;
      this.seed = seed;
      this.random = random;
      this.likely = random.ints(charges.length, 0, 101).toArray();
      for (int i = 0; i < charges.length; i++) {
        lanes.add(new ArrayDeque<>());
      }
    }

    void run() {
      for (int turn = 0; turn < 2_000; turn++) {
        int waiting = 0;
        for (int lane = 0; lane < charges.length; lane++) {
          ArrayDeque<long[]> colors = lanes.get(lane);
          if (colors.size() < 4 && random.nextInt(100) < likely[lane]) {
            colors.add(new long[] {charged, colors.size(), turns});
          }
          waiting |= colors.isEmpty() ? 0 : 1 << lane;
        }
        if (waiting != 0) {
          int lane = order.next(waiting);
          assertTrue((waiting & 1 << lane) != 0, () -> "seed " + seed + ": an empty lane");
          lanes.get(lane).remove();
          charged += charges[lane];
          turns++;
        }
        check();
      }
    }

    private void check() {
      for (int lane = 1; lane < charges.length; lane++) {
        for (long[] color : lanes.get(lane)) {
          long bound = (color[1] + 1) * (long) (TurnOrder.PATIENCE * charges[lane] + 2 * sum);
          String where = "seed " + seed + ", lane " + lane + ", " + color[1] + " before it";
          assertTrue(charged - color[0] <= bound, where);
          assertTrue(turns - color[2] <= (color[1] + 1) * maxTurns, where);
        }
      }
    }
  }
}
