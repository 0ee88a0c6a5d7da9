package dev.mely.examples.stingy;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.examples.stingy.Model.Weights;
import dev.mely.stage.Plan;
import dev.mely.stage.StageGraph;
import dev.mely.stage.StageGraph.Allocation;
import dev.mely.stage.StageGraph.Edge;
import dev.mely.stage.StageGraph.Site;
import dev.mely.stage.StageGraph.Stage;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** From graphs to plans. */
class PlanSolverTest {
  private static Stage stage(String name) {
    return new Stage(name, 100, 1000, 1, List.of());
  }

  private static Allocation object(String name, int bytes, String allocatedBy, String freedBy) {
    return new Allocation(
        name, bytes, 1, false, List.of(site(allocatedBy)), List.of(site(freedBy)));
  }

  private static Site site(String stage) {
    return new Site(stage, 100, 0);
  }

  private static List<Edge> chain(String... stages) {
    List<Edge> edges = new ArrayList<>();
    edges.add(new Edge(StageGraph.OUTSIDE, stages[0], 100));
    for (int i = 1; i < stages.length; i++) {
      edges.add(new Edge(stages[i - 1], stages[i], 100));
    }
    return edges;
  }

  private static Model model(StageGraph graph, long workingSet) {
    return Model.of(graph, new Lifetimes(graph), workingSet, Weights.EQUAL, false);
  }

  /**
   * The paper's Figure 2(a), in units of an object. Its text has stage 2 allocate O1, which stages
   * 2 and 3 use, and gives nO1 = 3, nO2 = 4 as one solution; of a working set in which 8 objects do
   * not fit, as in Figure 2(b), it is the best one.
   */
  private static StageGraph figure2() {
    return new StageGraph(
        List.of(stage("1"), stage("2"), stage("3"), stage("4"), stage("5")),
        chain("1", "2", "3", "4", "5"),
        List.of(object("O1", 1, "2", "3"), object("O2", 1, "1", "3")));
  }

  @Test
  void thePapersExample() {
    Model model = model(figure2(), 7);
    assertEquals(
        List.of(
            new Model.Row("1", List.of(), List.of(1), 1),
            new Model.Row("2", List.of(1), List.of(0), 1),
            new Model.Row("3", List.of(0, 1), List.of(), 1)),
        model.rows());
    assertEquals(List.of(new Model.Order(1, 0)), model.orders(), "nO2 >= nO1");
    int[] n = PlanSolver.solve(model).n();
    assertArrayEquals(new int[] {3, 4}, n);
    assertTrue(model.binds(model.rows().get(2), n));
    assertFalse(model.binds(model.rows().get(1), n));
    Plan plan = model.plan(new Lifetimes(figure2()), n);
    assertEquals(new Plan.Instances(4, 1, Set.of("1"), Set.of("3")), plan.objects().get("O2"));
    assertEquals(Set.of("O1"), plan.allocatedBy("2"));
  }

  @ParameterizedTest
  @CsvSource({"2, 1, 1", "3, 1, 2", "8, 4, 4", "9, 4, 5", "1000, 500, 500"})
  void thePapersExampleInOtherCaches(long workingSet, int o1, int o2) {
    Model model = model(figure2(), workingSet);
    assertEquals(model.work(new int[] {o1, o2}), model.work(PlanSolver.solve(model).n()), 1e-9);
  }

  @Test
  void aWorkingSetThatIsTooSmallForOneTask() {
    String said =
        assertThrows(IllegalArgumentException.class, () -> model(figure2(), 1)).getMessage();
    assertEquals(
        "a working set of 1 bytes is too small for one task in stage '2', which needs 2"
            + " (O1 1, O2 1)",
        said);
  }

  @Test
  void whatIsLeftOut() {
    StageGraph graph =
        new StageGraph(
            List.of(stage("a"), stage("b"), stage("c")),
            List.of(
                new Edge("", "a", 1),
                new Edge("a", "b", 1),
                new Edge("b", "a", 1),
                new Edge("b", "c", 1)),
            List.of(
                object("cyclic", 8, "a", "c"),
                new Allocation("declared", 8, 2, true, List.of(site("a")), List.of(site("c"))),
                new Allocation("global", 8, 1, false, List.of(site("c")), List.of()),
                object("kept", 8, "c", "b"),
                object("sizeless", 0, "c", "c"),
                new Allocation("foreign", 8, 1, false, List.of(), List.of(site("c")))));
    Lifetimes lives = new Lifetimes(graph);
    assertEquals(
        Set.of("cyclic", "global", "kept", "sizeless", "foreign"), lives.leftOut().keySet());
    assertEquals(
        Map.of("declared", 16L),
        model(graph, 100).objects().stream()
            .collect(java.util.stream.Collectors.toMap(Model.Item::name, Model.Item::bytes)));
    Plan plan = model(graph, 100).plan(lives, new int[] {3});
    assertEquals(
        new Plan.Instances(6, 8, Set.of("a"), Set.of("c")), plan.objects().get("declared"));
  }

  @Test
  void onlyWhatIsOnAllWaysDominates() {
    StageGraph graph =
        new StageGraph(
            List.of(stage("a"), stage("b"), stage("c"), stage("d")),
            List.of(
                new Edge("", "a", 1),
                new Edge("a", "b", 1),
                new Edge("a", "c", 1),
                new Edge("b", "d", 1),
                new Edge("c", "d", 1)),
            List.of(
                object("all", 8, "a", "d"),
                object("left", 8, "b", "d"),
                object("late", 8, "d", "d")));
    Lifetimes lives = new Lifetimes(graph);
    Model model = model(graph, 100);
    // All paths to b and d go through a; d does not need b. "left" may be freed without "late".
    assertEquals(
        List.of(new Model.Order(0, 2)),
        model.orders(),
        "an allocation that some way avoids dominates no deallocation");
    assertTrue(lives.isLive(graph.allocations().get(1), graph.stages().get(3)));
    assertFalse(lives.isLive(graph.allocations().get(1), graph.stages().get(2)));
    assertEquals(1, PlanSolver.solve(model).n()[2], "of what no stage begins with, one is enough");
  }

  @Test
  void withinAStageTheFirstAllocatedIsHeldWithTheSecond() {
    StageGraph graph =
        new StageGraph(
            List.of(stage("a"), stage("b")),
            chain("a", "b"),
            List.of(
                new Allocation(
                    "first", 8, 1, false, List.of(new Site("a", 1, 0)), List.of(site("b"))),
                new Allocation(
                    "second", 8, 1, false, List.of(new Site("a", 1, 1)), List.of(site("b")))));
    assertEquals(List.of(new Model.Order(0, 1)), model(graph, 100).orders());
  }

  /** Graphs drawn at random, solved here by trying all there is. */
  @Test
  void isAsGoodAsTryingAll() {
    int solved = 0;
    for (int seed = 0; seed < 150; seed++) {
      StageGraph graph = random(new Random(seed));
      Lifetimes lives = new Lifetimes(graph);
      Random random = new Random(seed);
      for (boolean whole : new boolean[] {false, true}) {
        Model model;
        try {
          model = Model.of(graph, lives, 10 + random.nextInt(60), Weights.COST, whole);
        } catch (IllegalArgumentException tooSmall) {
          continue;
        }
        if (model.objects().isEmpty()) {
          continue;
        }
        solved++;
        int[] n = PlanSolver.solve(model).n();
        String what = "seed " + seed + ", " + Arrays.toString(n) + " of " + model;
        assertTrue(model.isFeasible(n), what);
        double best = best(model, new int[n.length], 0);
        assertEquals(best, model.work(n), 1e-6 * Math.max(1, best), what);
      }
    }
    assertTrue(solved > 100, "solved: " + solved);
  }

  private static double best(Model model, int[] n, int at) {
    if (at == n.length) {
      return model.isFeasible(n) ? model.work(n) : Double.MAX_VALUE;
    }
    double best = Double.MAX_VALUE;
    int most = model.most(at);
    for (n[at] = 1; n[at] <= most; n[at]++) {
      best = Math.min(best, best(model, n, at + 1));
    }
    return best;
  }

  private static StageGraph random(Random random) {
    int size = 3 + random.nextInt(4);
    List<Stage> stages = new ArrayList<>();
    List<Edge> edges = new ArrayList<>(List.of(new Edge("", "0", 1)));
    for (int s = 0; s < size; s++) {
      stages.add(new Stage("" + s, 1, 1 + random.nextInt(1000), 1, List.of()));
      if (s > 0) {
        edges.add(new Edge("" + random.nextInt(s), "" + s, 1));
      }
      if (s > 1 && random.nextInt(3) == 0) {
        edges.add(new Edge("" + (s - 1), "" + s, 1));
      }
    }
    List<Edge> unique = edges.stream().map(e -> new Edge(e.from(), e.to(), 1)).distinct().toList();
    List<Allocation> objects = new ArrayList<>();
    for (int o = 0; o < 1 + random.nextInt(3); o++) {
      int from = random.nextInt(size - 1);
      List<Site> frees = new ArrayList<>();
      for (int s = from + 1; s < size; s++) {
        boolean leaf = s == size - 1;
        int stage = s;
        leaf |= unique.stream().noneMatch(e -> e.from().equals("" + stage));
        if (leaf || random.nextInt(4) == 0) {
          frees.add(new Site("" + s, 1, 0));
        }
      }
      objects.add(
          new Allocation(
              "o" + o, 1 + random.nextInt(8), 1, false, List.of(new Site("" + from, 1, o)), frees));
    }
    return new StageGraph(stages, unique, objects);
  }

  /** Numbers as of a server: what cannot be tried out must be found soon. */
  @Test
  void manyObjectsInALargeCache() {
    List<Stage> stages = new ArrayList<>();
    List<Allocation> objects = new ArrayList<>();
    String[] names = new String[9];
    Random random = new Random(1);
    for (int s = 0; s < names.length; s++) {
      names[s] = "s" + s;
      stages.add(new Stage(names[s], 1, 100 + random.nextInt(10_000), 1, List.of()));
      if (s < 7) {
        int end = Math.min(8, s + 1 + random.nextInt(4));
        objects.add(object("o" + s, 64 << random.nextInt(7), "s" + s, "s" + end));
      }
    }
    StageGraph graph = new StageGraph(stages, chain(names), objects);
    Model model = Model.of(graph, new Lifetimes(graph), 1 << 20, Weights.COST, false);
    PlanSolver.Solution solution = PlanSolver.solve(model);
    int[] n = solution.n();
    assertTrue(model.isFeasible(n), Arrays.toString(n));
    assertTrue(solution.gap() < 1e-3, "gap: " + solution.gap());
    for (int o = 0; o < n.length; o++) {
      n[o]++;
      boolean better = model.isFeasible(n) && model.work(n) < model.work(minus(n, o));
      assertFalse(better, "one more of " + o + " would be better");
      n[o]--;
    }
  }

  private static int[] minus(int[] n, int at) {
    int[] less = n.clone();
    less[at]--;
    return less;
  }
}
