package dev.mely.examples.stingy;

import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import org.ojalgo.optimisation.Expression;
import org.ojalgo.optimisation.ExpressionsBasedModel;
import org.ojalgo.optimisation.Optimisation;
import org.ojalgo.optimisation.Variable;

/**
 * Solves a {@link Model}: branch and bound, with bounds from ojAlgo's linear solver.
 *
 * <p>The objective {@code w / min n} is the maximum of {@code w / n} over the stage's objects, and
 * {@code 1 / n} for an integer is the maximum of the lines through its points at k and k + 1. There
 * is one line per integer, so lines are added only where a solution of the relaxed problem lies
 * below them (extended cutting planes: Westerlund, Pettersson, 1995).
 *
 * <p>Only the speed and the last digits of bounds depend on the linear solver: feasibility and
 * values are computed here. More of an object never has less value and takes more memory, so a box
 * has a solution if its lowest corner is one; and the solver's rounded numbers are raised as far as
 * they fit.
 *
 * <p>Among optimal solutions with the same numbers of tasks in a row, it returns one with the
 * fewest instances.
 */
final class PlanSolver {
  /** Relative tolerance: how much worse than the optimum a solution may be. */
  static final double TOLERANCE = 1e-9;

  /** Maximum number of boxes; with numbers in the thousands, the last digits take long. */
  private static final int BOXES = 4_000;

  private static final int ROUNDS = 12;

  /** A line through the points at k and k + 1 of an object's number, for a stage. */
  private record Line(int row, int object, int k) {}

  /** A range of numbers per object, and a lower bound of the objective in it. */
  @SuppressWarnings("ArrayRecordComponent") // boxes are not compared
  private record Box(int[] low, int[] high, double bound) {}

  /**
   * A solution.
   *
   * @param n how many of each object
   * @param gap how much better another solution could be at most, relatively; 0 if this is optimal
   */
  @SuppressWarnings("ArrayRecordComponent") // solutions are not compared
  record Solution(int[] n, double gap) {}

  private final Model model;
  private final int size;
  private final Set<Line> lines = new LinkedHashSet<>();
  private int[] best;
  private double bestWork;

  private PlanSolver(Model model) {
    this.model = model;
    size = model.objects().size();
    best = grown(ones());
    bestWork = model.work(best);
  }

  /** Solves a model in which one task fits. */
  static Solution solve(Model model) {
    return model.objects().isEmpty() ? new Solution(new int[0], 0) : new PlanSolver(model).search();
  }

  private Solution search() {
    PriorityQueue<Box> open = new PriorityQueue<>(Comparator.comparingDouble(Box::bound));
    int[] high = new int[size];
    Arrays.setAll(high, model::most);
    open.add(new Box(ones(), high, 0));
    for (int i = 0; i < BOXES && !open.isEmpty() && isBetter(open.element().bound()); i++) {
      look(open.remove(), open);
    }
    Box rest = open.peek();
    double gap = rest == null || !isBetter(rest.bound()) ? 0 : 1 - rest.bound() / bestWork;
    return new Solution(fewest(), gap);
  }

  private int[] ones() {
    int[] ones = new int[size];
    Arrays.fill(ones, 1);
    return ones;
  }

  private boolean isBetter(double work) {
    return work < bestWork * (1 - TOLERANCE);
  }

  /** Bounds a box, and splits it if it may contain a better solution. */
  private void look(Box box, PriorityQueue<Box> open) {
    int[] low = ordered(box.low());
    int[] high = box.high();
    double[] x = new double[size];
    Arrays.setAll(x, o -> (low[o] + high[o]) / 2.0); // in case the linear solver fails
    if (!model.isFeasible(low) || IntStream.range(0, size).anyMatch(o -> low[o] > high[o])) {
      return;
    }
    double bound = Math.max(box.bound(), model.work(high));
    for (int round = 0; round < ROUNDS && isBetter(bound); round++) {
      double relaxed = relax(low, high, x);
      bound = Math.max(bound, relaxed);
      consider(x, low);
      if (relaxed < 0 || !refine(x)) {
        break;
      }
    }
    int at = mostBroken(x, low, high);
    if (isBetter(bound) && low[at] < high[at]) {
      int split = Math.min(high[at] - 1, Math.max(low[at], (int) Math.floor(x[at])));
      int[] below = high.clone();
      below[at] = split;
      open.add(new Box(low.clone(), below, bound));
      int[] above = low.clone();
      above[at] = split + 1;
      open.add(new Box(above, high, bound));
    }
  }

  /** The object whose number is farthest from an integer; if all are close, the widest range. */
  private int mostBroken(double[] x, int[] low, int[] high) {
    ToDoubleFunction<Integer> broken =
        o -> {
          double off = Math.abs(x[o] - Math.rint(x[o]));
          return low[o] == high[o] ? -1 : off > 1e-6 ? off : -1.0 / (high[o] - low[o] + 1);
        };
    return IntStream.range(0, size).boxed().max(Comparator.comparingDouble(broken)).orElseThrow();
  }

  /** Rounds numbers down, raises them as far as they fit, and keeps them if they are better. */
  private void consider(double[] x, int[] low) {
    int[] n = new int[size];
    Arrays.setAll(n, o -> Math.max(low[o], (int) Math.floor(x[o] + 1e-6)));
    int[] larger = grown(model.isFeasible(n) ? n : low);
    if (model.work(larger) < bestWork) {
      best = larger;
      bestWork = model.work(larger);
    }
  }

  /** Raises the numbers in turn while that is feasible and helps. */
  private int[] grown(int[] start) {
    int[] n = start.clone();
    for (boolean grew = true; grew; ) {
      grew = false;
      for (int o = 0; o < size; o++) {
        int step = model.isHeld(o) ? Math.max(1, model.most(o) - n[o]) : 0;
        for (; step > 0; step /= 2) {
          n[o] += step;
          boolean fits = model.isFeasible(n);
          n[o] -= fits ? 0 : step;
          grew |= fits;
        }
      }
    }
    return n;
  }

  /** The best solution with the fewest instances that keep its runs and orders. */
  private int[] fewest() {
    int[] least = ones();
    for (Model.Row row : model.rows()) {
      if (row.weight() > 0) {
        model.held(row).forEach(o -> least[o] = Math.max(least[o], model.runs(row, best)));
      }
    }
    return ordered(least);
  }

  /** Raises numbers to the least that satisfy the orders. */
  private int[] ordered(int[] least) {
    int[] n = least.clone();
    for (int pass = 0; pass < size; pass++) {
      for (Model.Order order : model.orders()) {
        n[order.more()] = Math.max(n[order.more()], n[order.less()]);
      }
    }
    return n;
  }

  // ---- The relaxed problem

  /** Solves the relaxed problem in a box; returns its objective, or -1 if the solver fails. */
  private double relax(int[] low, int[] high, double[] x) {
    ExpressionsBasedModel program = new ExpressionsBasedModel();
    Variable[] counts = new Variable[size];
    Arrays.setAll(counts, o -> program.newVariable("n" + o).lower(low[o]).upper(high[o]));
    double weights = model.rows().stream().mapToDouble(Model.Row::weight).sum();
    Variable[] shares = new Variable[model.rows().size()];
    for (int r = 0; r < shares.length; r++) {
      Model.Row row = model.rows().get(r);
      double worth = model.held(row).isEmpty() ? 0 : row.weight() / weights;
      shares[r] = program.newVariable("t" + r).lower(0).upper(1).weight(worth);
      if (!row.live().isEmpty()) {
        Expression fits = program.newExpression("fits" + r).upper(model.room(row));
        row.live().forEach(o -> fits.set(counts[o], model.objects().get(o).bytes()));
      }
      for (int o : worth == 0 ? Set.<Integer>of() : model.held(row)) {
        draw(program, new Line(r, o, low[o]), shares, counts);
        draw(program, new Line(r, o, Math.max(1, high[o] - 1)), shares, counts);
      }
    }
    for (Model.Order order : model.orders()) {
      Expression more = program.newExpression(order.toString());
      more.lower(0).set(counts[order.more()], 1).set(counts[order.less()], -1);
    }
    for (Line line : lines) {
      if (low[line.object()] < line.k() && line.k() < high[line.object()] - 1) {
        draw(program, line, shares, counts);
      }
    }
    Optimisation.Result result = program.minimise();
    if (!result.getState().isOptimal()) {
      return -1;
    }
    Arrays.setAll(x, o -> result.doubleValue(program.indexOf(counts[o])));
    return result.getValue() * weights;
  }

  /** Adds a constraint: the share is at least the line. */
  private static void draw(
      ExpressionsBasedModel program, Line line, Variable[] shares, Variable[] counts) {
    double slope = 1.0 / line.k() - 1.0 / (line.k() + 1.0);
    Expression above = program.newExpression(line.toString());
    above.lower(1.0 / line.k() + slope * line.k());
    above.set(shares[line.row()], 1).set(counts[line.object()], slope);
  }

  /** Adds the highest lines at the solution; returns false if all are already there. */
  private boolean refine(double[] x) {
    boolean refined = false;
    for (int r = 0; r < model.rows().size(); r++) {
      if (model.rows().get(r).weight() > 0) {
        for (int o : model.held(model.rows().get(r))) {
          refined |= lines.add(new Line(r, o, Math.max(1, (int) Math.floor(x[o] + 1e-9))));
        }
      }
    }
    return refined;
  }
}
