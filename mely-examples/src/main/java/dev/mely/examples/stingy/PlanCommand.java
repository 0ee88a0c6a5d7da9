package dev.mely.examples.stingy;

import dev.mely.examples.SizeConverter;
import dev.mely.pool.Pool;
import dev.mely.stage.Plan;
import dev.mely.stage.StageGraph;
import dev.mely.topology.Topology;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code stingy plan}: how many instances of each object fit a working set. */
@Command(
    name = "plan",
    description =
        "Plans how many instances of each object a core may have in use, so that what its stages"
            + " keep fits a working set. Prints the model, its solution, and which stages are"
            + " full.",
    sortOptions = false,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:there is a plan",
      "1:a file cannot be read or written, or the working set is too small for one task",
      "2:an option is wrong"
    })
final class PlanCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(index = "0", paramLabel = "GRAPH", description = "A file written by --stages.")
  private Path graph = Path.of("");

  @Option(
      names = "--working-set",
      paramLabel = "SIZE",
      converter = SizeConverter.class,
      description =
          "How much memory the objects of a core may take, such as 512KiB or 1MB (default: half"
              + " of the L2 cache that a core of this machine has for itself).")
  private @Nullable Long workingSet;

  @Option(
      names = "--count",
      paramLabel = "NAME=N",
      description =
          "How many instances of an object a task has, instead of the recorded number; needed for"
              + " objects that are allocated in a cycle of stages.")
  private Map<String, Integer> counts = new LinkedHashMap<>();

  @Option(
      names = "--weights",
      paramLabel = "NAME",
      description =
          "What the first run of a stage after another's costs: cost, its mean time, or equal, the"
              + " same for all (default: cost).")
  private Model.Weights weights = Model.Weights.COST;

  @Option(
      names = "--whole",
      description =
          "All objects together must fit the working set, even if no stage has all of them"
              + " (default: each stage for itself, as in the paper).")
  private boolean whole;

  @Option(
      names = "--out",
      paramLabel = "FILE",
      description = "The file to write the plan to, as JSON (default: none).")
  private @Nullable Path file;

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    long bytes = workingSet();
    try {
      StageGraph recorded = declared(StageJson.graph(graph));
      Lifetimes lives = new Lifetimes(recorded);
      Model model = Model.of(recorded, lives, bytes, weights, whole);
      PlanSolver.Solution solution = PlanSolver.solve(model);
      Plan plan = model.plan(lives, solution.n());
      new PlanReport(model, lives, solution, plan).print(out);
      if (file != null) {
        StageJson.write(file, plan);
        out.println("written to " + file);
      }
      out.flush();
      return 0;
    } catch (IOException | IllegalArgumentException e) {
      PrintWriter err = spec.commandLine().getErr();
      err.println("stingy plan: " + StageJson.explain(e));
      err.flush();
      return 1;
    }
  }

  private long workingSet() {
    if (workingSet != null) {
      if (workingSet < 1) {
        throw wrong("--working-set must be more than 0, but is " + workingSet);
      }
      return workingSet;
    }
    Topology machine = Topology.system();
    long own = Arrays.stream(machine.cpus()).mapToLong(machine::privateL2Bytes).min().orElse(-1);
    if (own <= 0) {
      throw wrong("the size of this machine's L2 cache is unknown: give --working-set");
    }
    spec.commandLine()
        .getOut()
        .printf(
            Locale.ROOT,
            "working set: half of %,d bytes of L2 that each core has for itself%n",
            own);
    return own / Pool.SHARE_OF_L2;
  }

  private ParameterException wrong(String message) {
    return new ParameterException(spec.commandLine(), message);
  }

  /** Returns the graph with the numbers from the command line. */
  private StageGraph declared(StageGraph recorded) {
    List<StageGraph.Allocation> allocations = new ArrayList<>();
    Map<String, Integer> unused = new LinkedHashMap<>(counts);
    for (StageGraph.Allocation each : recorded.allocations()) {
      Integer count = unused.remove(each.name());
      if (count != null && count < 1) {
        throw wrong("--count must be 1 or more, but is " + each.name() + "=" + count);
      }
      allocations.add(
          count == null
              ? each
              : new StageGraph.Allocation(
                  each.name(), each.bytes(), count, true, each.allocatedBy(), each.freedBy()));
    }
    if (!unused.isEmpty()) {
      throw wrong("--count: the graph has no object " + unused.keySet());
    }
    return new StageGraph(recorded.stages(), recorded.edges(), allocations);
  }
}
