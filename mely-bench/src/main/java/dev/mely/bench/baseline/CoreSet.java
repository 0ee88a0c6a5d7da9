package dev.mely.bench.baseline;

import java.util.Comparator;
import java.util.List;
import java.util.function.IntBinaryOperator;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/**
 * {@code construct_core_set} of one thief: the most loaded core, then the successive numbers (Mely,
 * section II-B); or by cache distance, and among equals the most loaded first (III-A).
 *
 * @param <K> a core
 */
final class CoreSet<K extends Core<?>> {
  /** The other cores: for the base policy one group by number; else a group per distance. */
  private final List<List<K>> groups;

  CoreSet(List<K> cores, int thief, IntBinaryOperator distance) {
    Comparator<Integer> near = Comparator.comparingInt(i -> distance.applyAsInt(thief, i));
    List<Integer> others =
        IntStream.range(0, cores.size()).filter(i -> i != thief).boxed().sorted(near).toList();
    groups =
        others.stream()
            .map(i -> distance.applyAsInt(thief, i))
            .distinct()
            .map(
                d ->
                    others.stream()
                        .filter(i -> distance.applyAsInt(thief, i) == d)
                        .map(cores::get)
                        .toList())
            .toList();
  }

  /**
   * Visits the cores, one after the other.
   *
   * @param attempt returns true to end the visit
   * @return whether an attempt returned true
   */
  boolean any(Predicate<K> attempt) {
    for (List<K> group : groups) {
      int first = mostLoaded(group);
      for (int i = 0; i < group.size(); i++) {
        if (attempt.test(group.get((first + i) % group.size()))) {
          return true;
        }
      }
    }
    return false;
  }

  private int mostLoaded(List<K> group) {
    int best = 0;
    for (int i = 1; i < group.size(); i++) {
      if (group.get(i).load.get() > group.get(best).load.get()) {
        best = i;
      }
    }
    return best;
  }
}
