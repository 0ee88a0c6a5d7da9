package dev.mely.bench.sim;

import dev.mely.bench.BenchCommand;
import dev.mely.bench.Charts;
import dev.mely.bench.Json;
import dev.mely.bench.Progress;
import dev.mely.bench.ResultFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** Runs the simulator. */
@Command(
    name = "sim",
    description = {
      "Simulates the runtime's own classes, and the baselines, on a machine that need not be here.",
      "Each option may be given several values, with commas between them: all combinations are run."
          + " The same command gives the same output, to the byte."
    },
    footer = {
      "",
      "For example, 64 cores under 80 %% load, with stealing and without, beside what no runtime"
          + " can beat:",
      "  sim --machine many-caches --cores 64 --workload exp-even --load 0.8 --events 50000"
    },
    subcommands = {CalibrateCommand.class, ValidateCommand.class})
public final class SimCommand extends BenchCommand {
  private static final int MAX_CORES = 128;

  @Option(
      names = "--machine",
      split = ",",
      description =
          "here, one-cache, many-caches (a cache for each eight cores), or a recorded one: "
              + "xeon-e5410-2x4 is the paper's (default: here).")
  private List<String> machines = List.of(Machines.HERE);

  @Option(
      names = "--workload",
      split = ",",
      description =
          "unbalanced, penalty, cacheEfficient, chains, steadyColors, evenColors; servers with"
              + " clients that wait for answers: sws, sfs, web03; or requests that arrive by"
              + " themselves: exp, bimodal or heavy, then -even, -zipf or -one-core (default:"
              + " unbalanced).")
  private List<String> workloads = List.of("unbalanced");

  @Option(
      names = "--configuration",
      split = ",",
      description =
          "which runtimes: libasync, libasync-ws, mely-spinlock (the paper's Mely), mely (this"
              + " one); with stealing these two are called -base-ws, -locality, -time-left,"
              + " -penalty or -all behind their names (default: mely,mely-all).")
  private List<String> configurations = List.of("mely", "mely-all");

  @Option(
      names = "--cores",
      split = ",",
      description =
          "how many; 'here' and the unnamed ones may have more than there are (default: all).")
  private List<Integer> cores = List.of(0);

  @Option(
      names = "--load",
      split = ",",
      description = "share of the machine that arriving requests need, 0 to 1 (default: 0.7).")
  private List<Double> loads = List.of(0.7);

  @Option(
      names = "--clients",
      paramLabel = "<clients>",
      description =
          "of sws, sfs and web03 (default: 1000, 16 and 800; the papers had 200 to 2000, 16 and"
              + " 800).")
  private int clients;

  @Option(names = "--seed", split = ",", description = "of all chance (default: 1).")
  private List<Long> seeds = List.of(1L);

  @Option(
      names = "--events",
      description = "how many a run has at least (default: ${DEFAULT-VALUE}).")
  private long events = 500_000;

  @Option(
      names = "--costs",
      paramLabel = "<file>",
      description =
          "what steps cost, from 'sim calibrate' (default: of a machine like the one named).")
  private @Nullable Path costsFile;

  @Option(
      names = "--json",
      paramLabel = "<file>",
      description = "where to leave the figures (default: sim.json, in mely-bench/target)")
  private @Nullable Path json;

  @Option(
      names = "--pictures",
      paramLabel = "<folder>",
      description = "where to draw what was swept, as PNG and SVG (default: no pictures)")
  private @Nullable Path pictures;

  @Override
  public Integer call() {
    List<Row> rows = new ArrayList<>();
    List<Point> points = points();
    points.forEach(this::check);
    checkFolders();
    try (Progress progress = new Progress("simulated", points.size())) {
      for (Point point : points) {
        progress.begin(point.name());
        rows.addAll(run(point));
        progress.end();
      }
    }
    System.out.print(SimReport.text(rows));
    List<Map<String, Object>> raw = rows.stream().map(Row::toMap).toList();
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("simulated", true);
    all.put("runs", raw);
    System.out.println("Figures: " + ResultFile.write(json, "sim.json", Json.write(all)));
    Path folder = pictures;
    if (folder != null) {
      for (SimReport.Picture picture : SimReport.pictures(rows)) {
        Charts.write(picture.chart(), folder, picture.name())
            .forEach(file -> System.out.println("Picture: " + file));
      }
    }
    return 0;
  }

  /** One run. */
  record Point(
      String machine, String workload, String configuration, int cores, double load, long seed) {
    String name() {
      return workload + " " + configuration;
    }
  }

  /** One run, or one bound, and what it has shown. */
  record Row(Point point, Map<String, Double> figures) {
    Map<String, Object> toMap() {
      Map<String, Object> map = new LinkedHashMap<>();
      map.put("machine", point.machine());
      map.put("workload", point.workload());
      map.put("configuration", point.configuration());
      map.put("cores", point.cores());
      map.put("load", point.load());
      map.put("seed", point.seed());
      Map<String, Double> known = new LinkedHashMap<>();
      figures.forEach(
          (name, value) -> {
            if (Double.isFinite(value)) {
              known.put(name, value);
            }
          });
      map.put("figures", known);
      return map;
    }
  }

  private List<Point> points() {
    List<Point> points = new ArrayList<>();
    for (String machine : machines) {
      for (String workload : workloads) {
        for (int n : cores) {
          for (double load : hasLoad(workload) ? loads : List.of(Double.NaN)) {
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

  private static boolean hasLoad(String workload) {
    return workload.contains("-");
  }

  /** Before the first of them is run, which may take long. */
  private void check(Point asked) {
    try {
      if (asked.cores() < 0 || asked.cores() > MAX_CORES) {
        throw new IllegalArgumentException(
            "--cores must be between 1 and " + MAX_CORES + ", but is " + asked.cores());
      }
      if (events < 1) {
        throw new IllegalArgumentException("--events must be 1 or more, but is " + events);
      }
      if (clients < 0) {
        throw new IllegalArgumentException("--clients must be 1 or more, but is " + clients);
      }
      Machines.make(asked.machine(), asked.cores(), costs(asked.machine()));
      program(asked);
      Runtimes.check(asked.configuration());
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    }
  }

  /** Nor is it to be found out after the last run that there is no place for what it has shown. */
  private void checkFolders() {
    try {
      Path file = json;
      if (file != null && Files.isDirectory(file)) {
        throw new IllegalArgumentException("--json: " + file + " is a folder");
      }
      checkFolder("--json", file == null ? null : file.toAbsolutePath().getParent());
      checkFolder("--pictures", pictures);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    }
  }

  private static void checkFolder(String option, @Nullable Path folder) {
    if (folder == null) {
      return;
    }
    try {
      Files.createDirectories(folder);
    } catch (IOException e) {
      throw new IllegalArgumentException(option + ": cannot make the folder " + folder, e);
    }
    if (!Files.isWritable(folder)) {
      throw new IllegalArgumentException(option + ": cannot write to " + folder);
    }
  }

  private Program program(Point asked) {
    return Programs.make(asked.workload(), new Programs.Load(asked.load(), clients, asked.seed()));
  }

  private List<Row> run(Point asked) {
    Machine machine = Machines.make(asked.machine(), asked.cores(), costs(asked.machine()));
    Program program = program(asked);
    Run run = Runtimes.begin(asked.configuration(), machine, program, asked.seed());
    run.runUntil(events);
    int n = machine.cores();
    List<Row> rows = new ArrayList<>();
    if (program instanceof OpenLoop.Plan plan
        && asked.configuration().equals(configurations.get(0))) {
      rows.add(bound(asked, n, "bound: FCFS", Bounds.fcfs(plan.requests(n), n, events)));
      rows.add(
          bound(asked, n, "bound: color-serial", Bounds.colorSerial(plan.requests(n), n, events)));
      rows.add(
          bound(asked, n, "static partition", Bounds.staticPartition(plan.requests(n), n, events)));
    }
    rows.add(new Row(with(asked, n, asked.configuration()), Outcome.of(run)));
    return rows;
  }

  private Costs costs(String machine) {
    return costsFile == null ? Machines.costs(machine) : Costs.read(costsFile);
  }

  private static Row bound(Point asked, int cores, String name, Histogram latencies) {
    return new Row(with(asked, cores, name), Outcome.latencies(latencies));
  }

  private static Point with(Point asked, int cores, String name) {
    return new Point(asked.machine(), asked.workload(), name, cores, asked.load(), asked.seed());
  }
}
