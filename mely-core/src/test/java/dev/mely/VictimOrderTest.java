package dev.mely;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.mely.topology.Topology;
import java.util.Arrays;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** In which order victims are visited (requirements B3 and B4; Mely, sections II-B and III-A). */
class VictimOrderTest {
  // ---- Base

  /** The paper's example: core 6 of 8 is the most loaded. */
  @Test
  void mostLoadedThenSuccessiveNumbers() {
    assertEquals("6 7 0 1 3 4 5", base(2, 8, 1, 0, 9, 3, 0, 2, 5, 4));
  }

  @Test
  void thiefIsSkippedEvenIfItIsTheMostLoaded() {
    assertEquals("0 1 2", base(3, 4, 0, 0, 0, 100));
  }

  @Test
  void lowestNumberWinsAmongEqualLoads() {
    assertEquals("1 2 3", base(0, 4, 0, 7, 7, 7));
    assertEquals("0 2 3", base(1, 4, 0, 0, 0, 0));
  }

  @Test
  void lowestNumberWinsAmongEqualLoadsInEachSearch() {
    VictimOrder order = new VictimOrder(0, 4, (a, b) -> 0);
    for (int search = 0; search < 3; search++) {
      assertEquals("1 2 3", text(order.victims(core -> 7)));
    }
  }

  @Test
  void loneCoreHasNoVictims() {
    assertEquals("", base(0, 1, 3));
  }

  /** The queue of a victim is its hottest memory: nobody reads it to choose among one. */
  @Test
  void loneVictimIsNotLookedAt() {
    VictimOrder order = new VictimOrder(1, 2, (a, b) -> 0);
    assertEquals("0", text(order.victims(core -> fail("looked at core " + core))));
    assertEquals(1, order.thief());
  }

  @Test
  void orderFollowsTheLoad() {
    VictimOrder order = new VictimOrder(0, 3, (a, b) -> 0);
    assertArrayEquals(new int[] {1, 2}, order.victims(core -> 3 - core).clone());
    assertArrayEquals(new int[] {2, 1}, order.victims(core -> core).clone());
    assertArrayEquals(new int[] {1, 2}, order.victims(core -> 3 - core).clone());
    assertEquals(0, order.thief());
  }

  /** Of many that are as far, a search looks at some, and the next at others. */
  @Test
  void fewOfManyLoadsAreCompared() {
    int cores = 30;
    VictimOrder order = new VictimOrder(0, cores, (a, b) -> 0);
    Set<Integer> looked = new TreeSet<>();
    for (int search = 0; search < 4; search++) {
      Set<Integer> now = new TreeSet<>();
      int[] victims =
          order.victims(
              core -> {
                now.add(core);
                return core == 17 ? 5 : 0;
              });
      assertEquals(VictimOrder.MAX_LOOKS, now.size());
      assertEquals(now.contains(17), victims[0] == 17, now::toString);
      assertEquals(cores - 1, IntStream.of(victims).distinct().count());
      looked.addAll(now);
    }
    assertEquals(cores - 1, looked.size(), looked::toString);
  }

  // ---- Locality

  /** The paper's machine: first who shares the L2, then the package, then the other package. */
  @Test
  void nearVictimsComeFirst() {
    assertEquals("4 2 6 1 3 5 7", onXeon(0, 0, 0, 0, 0, 0, 0, 0, 0));
    assertEquals("3 1 5 0 2 4 6", onXeon(7, 0, 0, 0, 0, 0, 0, 0, 0));
  }

  @Test
  void loadOrdersVictimsOfOneDistance() {
    assertEquals("4 6 2 5 7 1 3", onXeon(0, 0, 1, 2, 3, 0, 5, 3, 4));
  }

  @Test
  void noLoadOutweighsADistance() {
    assertEquals("4 2 6 7 1 3 5", onXeon(0, 0, 0, 0, 0, 0, 0, 0, 1_000_000));
  }

  @Test
  void flatMachineIsTheBaseOrder() {
    Topology flat = Topology.flat(8);
    VictimOrder order = new VictimOrder(2, 8, flat::distance);
    int[] loads = {1, 0, 9, 3, 0, 2, 5, 4};
    assertEquals("6 7 0 1 3 4 5", text(order.victims(core -> loads[core])));
  }

  @Test
  void everyOtherCoreIsVisitedOnce() {
    for (int seed = 0; seed < 500; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      int cores = 1 + random.nextInt(20);
      int[][] distances = new int[cores][cores];
      for (int[] row : distances) {
        Arrays.setAll(row, i -> random.nextInt(5));
      }
      int thief = random.nextInt(cores);
      int[] loads = random.ints(cores, 0, 4).toArray();
      VictimOrder order = new VictimOrder(thief, cores, (a, b) -> distances[a][b]);
      int[] victims = order.victims(core -> loads[core]);
      assertEquals(
          IntStream.range(0, cores).filter(i -> i != thief).boxed().toList(),
          Arrays.stream(victims).sorted().boxed().toList());
      for (int i = 1; i < victims.length; i++) {
        int before = distances[thief][victims[i - 1]];
        int after = distances[thief][victims[i]];
        assertTrue(before <= after, "seed " + seed);
      }
    }
  }

  private static String base(int thief, int cores, int... loads) {
    return text(new VictimOrder(thief, cores, (a, b) -> 0).victims(core -> loads[core]));
  }

  private static String onXeon(int thief, int... loads) {
    VictimOrder order = new VictimOrder(thief, 8, VictimOrderTest::xeonDistance);
    return text(order.victims(core -> loads[core]));
  }

  /** Two Xeon E5410: packages are the even and the odd cores, n and n+4 share an L2. */
  private static int xeonDistance(int a, int b) {
    if (a == b) {
      return Topology.SAME_CPU;
    }
    if (a % 4 == b % 4) {
      return Topology.SHARES_L2;
    }
    return a % 2 == b % 2 ? Topology.SAME_PACKAGE : Topology.OTHER_PACKAGE;
  }

  private static String text(int[] victims) {
    return Arrays.stream(victims).mapToObj(Integer::toString).collect(Collectors.joining(" "));
  }
}
