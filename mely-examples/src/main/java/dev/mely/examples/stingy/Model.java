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
 * <p>An object that is not live at the start of any stage is needed by one task at a time: n = 1.
 *
 * <p>Source: the Stingy Allocator, section 3.1.
 *
 * @param objects the objects to plan
 * @param rows one per stage with objects
 * @param orders which object's number must be at least another's
 * @param workingSet τ, in bytes
 */
record Model(List<Item> objects, List<Row> rows, List<Order> orders, long workingSet) {
  /**
   * An object.
   *
   * @param name of the object
   * @param bytes per task
   */
  record Item(String name, long bytes) {}

  /**
   * A stage.
   *
   * @param stage its name; the row for all objects together has a name that is not a stage's
   * @param live objects that are live at its start, by index
   * @param allocated objects that it allocates, by index
   * @param weight cost of the first of several runs in a row, see {@link Weights}
   */
  record Row(String stage, List<Integer> live, List<Integer> allocated, double weight) {
    /** The objects whose numbers limit how many tasks run in a row. */
    TreeSet<Integer> limits() {
      TreeSet<Integer> limits = new TreeSet<>(live);
      limits.addAll(allocated);
      return limits;
    }
  }

  /**
   * At least as many of one object as of another.
   *
   * @param more index of the first
   * @param less index of the second
   */
  record Order(int more, int less) {}

  /** The assumed cost of a stage's first run after another stage. */
  enum Weights {
    /** The stage's mean time. */
    COST,

    /** The same for all stages. */
    EQUAL
  }

  /**
   * Makes the model of a graph.
   *
   * @param whole whether all objects together must fit, too
   * @throws IllegalArgumentException if one task does not fit in a stage; names the stage and the
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

  // ---- Value of a solution

  /** Bytes that a stage needs: for all waiting tasks, and for one in it. */
  long bytes(Row row, int[] n) {
    long waiting = row.live().stream().mapToLong(o -> objects.get(o).bytes() * n[o]).sum();
    return waiting + workingSet - room(row);
  }

  /** Bytes left for tasks that wait for a stage, in addition to the one in it. */
  long room(Row row) {
    return workingSet - row.allocated().stream().mapToLong(o -> objects.get(o).bytes()).sum();
  }

  boolean isFeasible(int[] n) {
    return Arrays.stream(n).allMatch(each -> each >= 1)
        && rows.stream().allMatch(row -> bytes(row, n) <= workingSet)
        && orders.stream().allMatch(order -> n[order.more()] >= n[order.less()]);
  }

  /** The instruction fetches per task, in the unit of the weights. */
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

  /** The objects of a stage that are live at the start of some stage. */
  TreeSet<Integer> held(Row row) {
    TreeSet<Integer> held = row.limits();
    held.removeIf(o -> !isHeld(o));
    return held;
  }

  /** Whether an object is live at the start of some stage; else one task at a time has it. */
  boolean isHeld(int object) {
    return rows.stream().anyMatch(row -> row.weight() > 0 && row.live().contains(object));
  }

  /** The largest possible number of an object, for any numbers of the others. */
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

  /** Whether a stage's constraint is tight: not even one more of its smallest live object fits. */
  boolean binds(Row row, int[] n) {
    long smallest =
        row.live().stream().mapToLong(o -> objects.get(o).bytes()).min().orElse(Long.MAX_VALUE);
    return workingSet - bytes(row, n) < smallest && smallest != Long.MAX_VALUE;
  }

  /** The solution as a plan for pools. */
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
