package dev.mely;

import java.util.TreeMap;
import java.util.function.IntBinaryOperator;
import java.util.function.IntUnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * {@code construct_core_set}: in which order a thief visits the other cores. Pure.
 *
 * <p>Base (Mely, section II-B): the most loaded core, then the successive core numbers. Locality
 * (section III-A): by cache distance; among equals the most loaded first, then successive numbers.
 * Where more than {@link #MAX_LOOKS} are equally far, the most loaded of some of them.
 */
final class VictimOrder {
  /**
   * How many loads of one group a search compares; the next search compares others. A load is two
   * cache lines of a busy core: with many cores, finding the most loaded one would cost thief and
   * victims more than it wins. The paper's machine has seven other cores.
   */
  static final int MAX_LOOKS = 8;

  private final int thief;

  /** Where the next look at a large group begins. */
  private int turn;

  /** Core numbers in groups of equal distance, near to far; each group in order of number. */
  private final int[][] groups;

  private final int[] order;

  /**
   * @param thief number of the core that steals
   * @param cores how many cores there are
   * @param distance cache distance between two cores; constant if locality is off
   */
  VictimOrder(int thief, int cores, IntBinaryOperator distance) {
    this.thief = thief;
    this.order = new int[cores - 1];
    this.groups =
        IntStream.range(0, cores)
            .filter(core -> core != thief)
            .boxed()
            .collect(
                Collectors.groupingBy(
                    core -> distance.applyAsInt(thief, core), TreeMap::new, Collectors.toList()))
            .values()
            .stream()
            .map(group -> group.stream().mapToInt(Integer::intValue).toArray())
            .toArray(int[][]::new);
  }

  /**
   * Orders the victims for one search. The array is reused by the next call.
   *
   * @param load number of waiting colors of a core
   * @return core numbers, the thief's own not among them
   */
  int[] victims(IntUnaryOperator load) {
    int filled = 0;
    for (int[] group : groups) {
      // A group of one needs no look: the victim's indices are its hottest cache lines.
      int looks = group.length > 1 ? Math.min(group.length, MAX_LOOKS) : 0;
      int start = looks < group.length ? turn % group.length : 0;
      int from = start;
      int most = -1;
      for (int i = 0; i < looks; i++) {
        int at = (from + i) % group.length;
        int size = load.applyAsInt(group[at]);
        if (size > most) {
          most = size;
          start = at;
        }
      }
      int behind = group.length - start;
      System.arraycopy(group, start, order, filled, behind);
      System.arraycopy(group, 0, order, filled + behind, start);
      filled += group.length;
    }
    turn = (turn + MAX_LOOKS) & Integer.MAX_VALUE;
    return order;
  }

  /** The core that steals. */
  int thief() {
    return thief;
  }
}
