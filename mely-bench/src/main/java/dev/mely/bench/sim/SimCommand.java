package dev.mely.bench.sim;

import dev.mely.bench.BenchCommand;
import dev.mely.bench.Progress;
import dev.mely.bench.ResultFile;
import dev.mely.bench.Results;
import dev.mely.bench.Score;
import dev.mely.bench.Sweep;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** Runs the simulator. */
@Command(
    name = "sim",
    description = {
      "Simulates the runtime's own classes, and the baselines, on any machine.",
      "Each option may have several values, separated by commas: all combinations are run."
          + " The same command gives the same output, to the byte."
    },
    footer = {
      "",
      "For example, 64 cores under 80 %% load, with and without stealing, and bounds for any"
          + " runtime:",
      "  sim --machine many-caches --cores 64 --workload exp-even --load 0.8 --events 50000"
    },
    subcommands = {CalibrateCommand.class, ValidateCommand.class})
public final class SimCommand extends BenchCommand {
  private static final int MAX_CORES = 128;
  private static final int MAX_CLIENTS = 1_000_000;

  @Option(
      names = "--machine",
      split = ",",
      description =
          "here (this one), one-cache, many-caches (one cache per eight cores), or a recorded"
              + " one: xeon-e5410-2x4 is the paper's (default: here).")
  private List<String> machines = List.of(Machines.HERE);

  @Option(
      names = "--workload",
      split = ",",
      description =
          "unbalanced, penalty, cacheEfficient, chains, steadyColors, evenColors; servers with"
              + " closed-loop clients: sws, sfs, web03; or open loops: exp or heavy, followed by"
              + " -even or -one-core (default: unbalanced).")
  private List<String> workloads = List.of("unbalanced");

  @Option(
      names = "--configuration",
      split = ",",
      description =
          "which runtimes: libasync, libasync-ws, mely-spinlock (the paper's Mely), mely (this"
              + " one); the latter two with a steal policy as suffix: -base-ws, -locality,"
              + " -time-left, -penalty or -all (default: mely,mely-all).")
  private List<String> configurations = List.of("mely", "mely-all");

  @Option(
      names = "--cores",
      split = ",",
      description =
          "number of cores; 'here', one-cache and many-caches may have any number; 0: all"
              + " (default).")
  private List<Integer> cores = List.of(0);

  @Option(
      names = "--load",
      split = ",",
      description = "utilization by an open loop, 0 to 1 (default: 0.7).")
  private List<Double> loads = List.of(0.7);

  @Option(
      names = "--clients",
      paramLabel = "<clients>",
      description =
          "of sws, sfs and web03 (default: 1000, 16 and 800; the papers had 200 to 2000, 16 and"
              + " 800).")
  private int clients;

  @Option(names = "--seed", split = ",", description = "of all random values (default: 1).")
  private List<Long> seeds = List.of(1L);

  @Option(names = "--events", description = "minimum number per run (default: ${DEFAULT-VALUE}).")
  private int events = 500_000;

  @Option(
      names = "--costs",
      paramLabel = "<file>",
      description =
          "the costs of steps, from 'sim calibrate' (default: of a machine like the one named).")
  private @Nullable Path costsFile;

  @Option(
      names = "--out",
      paramLabel = "<folder>",
      description =
          "where to write the figures, for 'report', and charts over several values (default:"
              + " mely-bench/target/sim, or sim)")
  private @Nullable Path out;

  @Override
  public Integer call() {
    cores.forEach(n -> inRange("--cores", n, 0, MAX_CORES));
    inRange("--clients", clients, 0, MAX_CLIENTS);
    inRange("--events", events, 1, Integer.MAX_VALUE);
    List<Point> points = points();
    points.forEach(this::check);
    Path folder = folder();
    Map<String, Results> tables = new LinkedHashMap<>();
    try (Progress progress = new Progress("simulated", points.size())) {
      for (Point point : points) {
        progress.begin(point.workload() + " " + point.configuration());
        run(point, tables.computeIfAbsent(title(point), title -> table(point, title)));
        progress.end();
      }
    }
    for (Results table : tables.values()) {
      System.out.print(SimReport.text(table));
      Path file = folder.resolve(table.fileName() + ".json");
      System.out.println("Figures: " + ResultFile.write(file, table));
      if (cores.size() > 1 || loads.size() > 1) {
        Score score = table.score();
        new Sweep(table).draw(folder, table.fileName(), score.figure(), score.title());
      }
    }
    return 0;
  }

  /** Parameters of a run. */
  private record Point(
      String machine, String workload, String configuration, int cores, double load, long seed) {
    /** Whether this is an open loop. */
    boolean isOpen() {
      return Double.isFinite(load);
    }
  }

  private List<Point> points() {
    List<Point> points = new ArrayList<>();
    for (String machine : machines) {
      for (String workload : workloads) {
        for (int n : cores) {
          for (double load : workload.contains("-") ? loads : List.of(Double.NaN)) {
            for (String configuration : configurations) {
              for (long seed : seeds) {
                points.add(new Point(machine, workload, configuration, n, load, seed));
              }
            }
          }
        }
      }
    }
    return points;
  }

  /** Checks a run before the first one starts, which may take long. */
  private void check(Point asked) {
    try {
      machine(asked);
      program(asked);
      Runtimes.check(asked.configuration());
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    }
  }

  /** Checks the output folder before the first run. */
  private Path folder() {
    Path folder = out != null ? out : ResultFile.directory("sim");
    try {
      Files.createDirectories(folder);
      if (!Files.isWritable(folder)) {
        throw new AccessDeniedException(folder.toString());
      }
      return folder;
    } catch (IOException e) {
      throw new ParameterException(
          spec.commandLine(), "--out: cannot write to the folder " + folder, e);
    }
  }

  // ---- Tables: over numbers of cores, or over loads for a single number of cores

  private boolean isOverLoads(Point point) {
    return point.isOpen() && loads.size() > 1 && cores.size() == 1;
  }

  private String title(Point point) {
    String title = point.workload() + " on " + point.machine();
    return isOverLoads(point)
        ? title + " " + machine(point).cores() + " cores"
        : point.isOpen() ? title + " load " + point.load() : title;
  }

  private Results table(Point point, String title) {
    Score score =
        point.isOpen()
            ? new Score("p99Micros", "p99, µs", 1, 1, false)
            : new Score("rate", "events/s", 1, 0, true);
    Map<String, Object> environment = new LinkedHashMap<>();
    environment.put("simulated", true);
    environment.put("events", events);
    environment.put("seeds", seeds);
    return new Results("simulated", title, score, Map.of(), environment, new LinkedHashMap<>());
  }

  private Machine machine(Point point) {
    Costs costs = costsFile == null ? Machines.costs(point.machine()) : Costs.read(costsFile);
    return Machines.make(point.machine(), point.cores(), costs);
  }

  private Program program(Point asked) {
    return Programs.make(asked.workload(), new Programs.Load(asked.load(), clients, asked.seed()));
  }

  /** Adds a run's figures to its table; before the first configuration, the bounds. */
  private void run(Point point, Results table) {
    Machine machine = machine(point);
    Program program = program(point);
    Run run = Runtimes.begin(point.configuration(), machine, program, point.seed());
    run.runUntil(events);
    int n = machine.cores();
    String begin = isOverLoads(point) ? point.load() + " load " : n + " cores ";
    BiConsumer<String, Map<String, Double>> adder =
        (name, figures) ->
            table.samples().computeIfAbsent(begin + name, c -> new ArrayList<>()).add(figures);
    if (program instanceof OpenLoop.Plan plan
        && point.configuration().equals(configurations.get(0))) {
      adder.accept("bound: FCFS", Outcome.latencies(Bounds.fcfs(plan.requests(n), n, events)));
      adder.accept(
          "bound: color-serial",
          Outcome.latencies(Bounds.colorSerial(plan.requests(n), n, events)));
      adder.accept(
          "static partition",
          Outcome.latencies(Bounds.staticPartition(plan.requests(n), n, events)));
    }
    adder.accept(point.configuration(), Outcome.of(run));
  }
}
