package dev.mely.examples.stingy;

import dev.mely.stage.Plan;
import dev.mely.stage.StageGraph;
import dev.mely.stage.StageGraph.Allocation;
import dev.mely.stage.StageGraph.Site;
import dev.mely.stage.StageGraph.Stage;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * How many tasks may hold each object at a time: the paper's integer program. For each stage {@code
 * Σ live size·n + Σ allocated size ≤ τ}; {@code nᵢ ≥ nⱼ} where a task that holds j holds i;
 * minimise {@code Σ w / min n} over the stages.
 *
 * <p>An object that is live at the beginning of no stage is needed by one task at a time: n = 1.
 *
 * <p>Source: the Stingy Allocator, section 3.1.
 *
 * @param objects what is planned for
 * @param rows one for each stage with objects
 * @param orders what must not be fewer than what
 * @param workingSet τ, in bytes
 */
record Model(List<Item> objects, List<Row> rows, List<Order> orders, long workingSet) {
  /**
   * An object.
   *
   * @param name of the object
   * @param bytes what one task has of it
   */
  record Item(String name, long bytes) {}

  /**
   * A stage.
   *
   * @param stage its name; that of the row for all objects together is no stage
   * @param live objects at its beginning, by their places in the list
   * @param allocated objects that it allocates
   * @param weight of the first of a row of runs, see {@link Weights}
   */
  record Row(String stage, List<Integer> live, List<Integer> allocated, double weight) {
    /** Whose number limits how many tasks run in a row. */
    TreeSet<Integer> limits() {
      TreeSet<Integer> limits = new TreeSet<>(live);
      limits.addAll(allocated);
      return limits;
    }
  }

  /**
   * There are at least as many of one object as of another.
   *
   * @param more the place of one
   * @param less the place of the other
   */
  record Order(int more, int less) {}

  /** What the first run of a stage after another's is taken to cost. */
  enum Weights {
    /** The mean time of its runs. */
    COST,

    /** The same for all. */
    EQUAL
  }

  /**
   * Makes the model of a graph.
   *
   * @param whole whether all objects together must fit as well
   * @throws IllegalArgumentException if one task in some stage does not fit; names it, and the
   *     bytes
   */
  static Model of(StageGraph graph, Lifetimes lives, long workingSet, Weights by, boolean whole) {
    List<Allocation> managed = lives.managed();
    List<Item> objects =
        managed.stream().map(a -> new Item(a.name(), (long) a.bytes() * a.count())).toList();
    List<Row> rows = new ArrayList<>();
    for (Stage stage : graph.stages()) {
      List<Integer> live = new ArrayList<>();
      List<Integer> allocated = new ArrayList<>();
      for (int o = 0; o < managed.size(); o++) {
        if (lives.isLive(managed.get(o), stage)) {
          live.add(o);
        } else if (Lifetimes.allocates(stage, managed.get(o))) {
          allocated.add(o);
        }
      }
      if (!live.isEmpty() || !allocated.isEmpty()) {
        double weight = by == Weights.EQUAL ? 1 : Math.max(1, stage.costNanos());
        rows.add(new Row(stage.name(), live, allocated, weight));
      }
    }
    if (whole && !objects.isEmpty()) {
      List<Integer> all = IntStream.range(0, objects.size()).boxed().toList();
      rows.add(new Row("(all objects)", all, List.of(), 0));
    }
    List<Order> orders = new ArrayList<>();
    for (int i = 0; i < managed.size(); i++) {
      for (int j = 0; j < managed.size(); j++) {
        if (lives.holdsWith(managed.get(i), managed.get(j))) {
          orders.add(new Order(i, j));
        }
      }
    }
    Model model = new Model(objects, rows, orders, workingSet);
    model.checkOneTask();
    return model;
  }

  private void checkOneTask() {
    int[] one = new int[objects.size()];
    Arrays.fill(one, 1);
    for (Row row : rows) {
      if (bytes(row, one) > workingSet) {
        List<String> each = new ArrayList<>();
        row.limits().forEach(o -> each.add(objects.get(o).name() + " " + objects.get(o).bytes()));
        throw new IllegalArgumentException(
            "a working set of "
                + workingSet
                + " bytes is too small for one task in stage '"
                + row.stage()
                + "', which needs "
                + bytes(row, one)
                + " ("
                + String.join(", ", each)
                + ")");
      }
    }
  }

  // ---- What a solution is worth

  /** What a stage needs: all who wait for it, and one in it. */
  long bytes(Row row, int[] n) {
    long waiting = row.live().stream().mapToLong(o -> objects.get(o).bytes() * n[o]).sum();
    return waiting + workingSet - room(row);
  }

  /** What is left for those who wait for a stage, beside the one in it. */
  long room(Row row) {
    return workingSet - row.allocated().stream().mapToLong(o -> objects.get(o).bytes()).sum();
  }

  boolean isFeasible(int[] n) {
    return Arrays.stream(n).allMatch(each -> each >= 1)
        && rows.stream().allMatch(row -> bytes(row, n) <= workingSet)
        && orders.stream().allMatch(order -> n[order.more()] >= n[order.less()]);
  }

  /** The instruction fetches of one task, in the unit of the weights. */
  double work(int[] n) {
    return rows.stream()
        .filter(row -> !held(row).isEmpty())
        .mapToDouble(row -> row.weight() / runs(row, n))
        .sum();
  }

  /** How many tasks may run a stage in a row. */
  int runs(Row row, int[] n) {
    return held(row).stream().mapToInt(o -> n[o]).min().orElse(1);
  }

  /** Of the objects of a stage those that some stage begins with. */
  TreeSet<Integer> held(Row row) {
    TreeSet<Integer> held = row.limits();
    held.removeIf(o -> !isHeld(o));
    return held;
  }

  /** Whether some stage begins with it; else one task at a time has it. */
  boolean isHeld(int object) {
    return rows.stream().anyMatch(row -> row.weight() > 0 && row.live().contains(object));
  }

  /** How many there can be at most, whatever the others. */
  int most(int object) {
    if (!isHeld(object)) {
      return 1;
    }
    int[] one = new int[objects.size()];
    Arrays.fill(one, 1);
    return (int)
        rows.stream()
            .filter(row -> row.live().contains(object))
            .mapToLong(row -> 1 + (workingSet - bytes(row, one)) / objects.get(object).bytes())
            .reduce(Integer.MAX_VALUE, Math::min);
  }

  /** Whether not one more of the smallest object that is live in the stage would fit. */
  boolean binds(Row row, int[] n) {
    long smallest =
        row.live().stream().mapToLong(o -> objects.get(o).bytes()).min().orElse(Long.MAX_VALUE);
    return workingSet - bytes(row, n) < smallest && smallest != Long.MAX_VALUE;
  }

  /** The solution as pools take it. */
  Plan plan(Lifetimes lives, int[] n) {
    Map<String, Plan.Instances> planned = new LinkedHashMap<>();
    List<Allocation> managed = lives.managed();
    for (int o = 0; o < n.length; o++) {
      Allocation object = managed.get(o);
      planned.put(
          object.name(),
          new Plan.Instances(
              Math.multiplyExact(n[o], object.count()),
              object.bytes(),
              stages(object.allocatedBy()),
              stages(object.freedBy())));
    }
    return new Plan(planned);
  }

  private static Set<String> stages(List<Site> sites) {
    return sites.stream().map(Site::stage).collect(Collectors.toCollection(LinkedHashSet::new));
  }
}
