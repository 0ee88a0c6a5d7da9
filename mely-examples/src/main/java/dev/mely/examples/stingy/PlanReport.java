package dev.mely.examples.stingy;

import dev.mely.stage.Plan;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Prints a plan with its model, its solution and what limits it.
 *
 * @param model the problem
 * @param lives where its objects are live
 * @param solution its solution
 * @param plan the solution for pools
 */
record PlanReport(Model model, Lifetimes lives, PlanSolver.Solution solution, Plan plan) {
  void print(PrintWriter out) {
    lives
        .leftOut()
        .forEach((name, why) -> out.printf(Locale.ROOT, "left out: %s: %s%n", name, why));
    if (model.objects().isEmpty()) {
      out.println("no objects to plan for: handlers must declare what they allocate and free");
      return;
    }
    out.printf(Locale.ROOT, "model, for a working set of %,d bytes:%n", model.workingSet());
    model
        .rows()
        .forEach(row -> out.printf(Locale.ROOT, "  %-20s %s%n", row.stage(), constraint(row)));
    for (Model.Order order : model.orders()) {
      out.printf(
          Locale.ROOT, "  %-20s n(%s) >= n(%s)%n", "", name(order.more()), name(order.less()));
    }
    out.printf(Locale.ROOT, "  %-20s %s%n", "minimise", objective());
    int[] n = solution.n();
    out.println(
        solution.gap() == 0
            ? "solution, optimal:"
            : String.format(
                Locale.ROOT, "solution, within %.4f %% of the optimum:", 100 * solution.gap()));
    for (int o = 0; o < n.length; o++) {
      String name = model.objects().get(o).name();
      Plan.Instances planned = plan.objects().get(name);
      if (planned != null) {
        out.printf(
            Locale.ROOT,
            "  n(%s) = %,d: %,d of %,d bytes, %,d in all%n",
            name,
            n[o],
            planned.count(),
            planned.bytes(),
            planned.total());
      }
    }
    for (Model.Row row : model.rows()) {
      out.printf(
          Locale.ROOT,
          "  %-20s %,d of %,d bytes%s%n",
          row.stage(),
          model.bytes(row, n),
          model.workingSet(),
          model.binds(row, n) ? ", binds" : "");
    }
    out.printf(Locale.ROOT, "all objects together: %,d bytes%n", plan.bytes());
    if (plan.bytes() > model.workingSet()) {
      out.println(
          "That is more than the working set: no stage has all of them, but tasks in different"
              + " stages may; see --whole.");
    }
  }

  private String name(int object) {
    return model.objects().get(object).name();
  }

  private String constraint(Model.Row row) {
    List<String> terms = new ArrayList<>();
    for (int o : row.live()) {
      terms.add(String.format(Locale.ROOT, "%,d·n(%s)", model.objects().get(o).bytes(), name(o)));
    }
    for (int o : row.allocated()) {
      terms.add(String.format(Locale.ROOT, "%,d (%s)", model.objects().get(o).bytes(), name(o)));
    }
    return String.join(" + ", terms) + String.format(Locale.ROOT, " <= %,d", model.workingSet());
  }

  private String objective() {
    String sum =
        model.rows().stream()
            .filter(row -> row.weight() > 0 && !model.held(row).isEmpty())
            .map(
                row ->
                    String.format(Locale.ROOT, "%,.0f", row.weight())
                        + model.held(row).stream()
                            .map(o -> "n(" + name(o) + ")")
                            .collect(Collectors.joining(", ", "/min(", ")")))
            .collect(Collectors.joining(System.lineSeparator() + "                     + "));
    return sum.isEmpty() ? "nothing: no object outlives the stage that allocates it" : sum;
  }
}
