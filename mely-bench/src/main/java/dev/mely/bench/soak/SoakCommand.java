package dev.mely.bench.soak;

import dev.mely.bench.BenchCommand;
import dev.mely.bench.Environment;
import dev.mely.bench.Json;
import dev.mely.bench.ResultFile;
import dev.mely.bench.Table;
import dev.mely.topology.AllowedCpus;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Soaks the runtime and reports whether every event is accounted for. */
@Command(
    name = "soak",
    description = {
      "Random load, blocking and failing handlers, timers, millions of colors made and dropped, "
          + "runtimes ended and built again. At the end every accepted event must have run or been "
          + "rejected, in order, and the heap must be flat; the exit code is 1 if not."
    })
public final class SoakCommand extends BenchCommand {
  private static final int MINUTE = 60;
  private static final int MAX_MINUTES = 7 * 24 * 60;
  private static final int MAX_CORES = 256;

  @Option(names = "--minutes", paramLabel = "<n>", description = "how long (default: 10)")
  private int minutes = 10;

  @Option(
      names = "--seconds",
      paramLabel = "<s>",
      description = "how long, for a quick, rough run; the heap is then sampled each second")
  private @Nullable Integer seconds;

  @Option(names = "--seed", paramLabel = "<n>", description = "of runtimes and their ends (random)")
  private long seed = System.nanoTime();

  @Option(
      names = "--cores",
      paramLabel = "<n>",
      description = "workers (default: what this process may use)")
  private int cores = AllowedCpus.system().recommendedWorkers();

  @Option(
      names = "--json",
      paramLabel = "<file>",
      description = "where to write the figures (default: soak.json, in mely-bench/target)")
  private @Nullable Path json;

  /** Plants a fault, to show that the accounting detects it. */
  @Option(names = "--forget", paramLabel = "<n>", hidden = true)
  private long forget;

  @Override
  public Integer call() throws InterruptedException {
    inRange("--minutes", minutes, 1, MAX_MINUTES);
    inRange("--cores", cores, 1, MAX_CORES);
    if (seconds != null) {
      inRange("--seconds", seconds, 1, MAX_MINUTES * MINUTE);
    }
    PrintWriter out = spec.commandLine().getOut();
    Environment environment = Environment.of(cores, false, "");
    out.print(environment);
    out.println("seed " + seed);
    Soak soak =
        seconds != null
            ? new Soak(seconds, seed, cores, 1, forget)
            : new Soak(minutes * MINUTE, seed, cores, MINUTE, forget);
    Soak.Result result = soak.run();
    print(out, result);
    Map<String, Object> file = new LinkedHashMap<>();
    file.put("environment", environment.toMap());
    file.put("seed", seed);
    file.put("seconds", soak.seconds());
    file.putAll(result.counts());
    file.put("heapMiB", result.heap().mebibytes());
    file.put("heapSlopeMiBPerSample", result.heap().slope());
    file.put("faults", result.faults());
    out.println("Figures: " + ResultFile.write(json, "soak.json", Json.write(file)));
    out.flush();
    return result.faults().isEmpty() ? 0 : 1;
  }

  private static void print(PrintWriter out, Soak.Result result) {
    Table table = new Table("what", "count");
    result
        .counts()
        .forEach((what, count) -> table.add(what, String.format(Locale.ROOT, "%,d", count)));
    out.print(table);
    List<Double> heap = result.heap().mebibytes();
    out.println(
        "Heap after full collections, MiB: "
            + heap.stream().map(mib -> Table.number(mib, 1)).collect(Collectors.joining(" ")));
    out.println("Slope after warm-up: " + Table.number(result.heap().slope(), 3) + " MiB a sample");
    List<String> faults = result.faults();
    out.println(faults.isEmpty() ? "All adds up." : "FAILED: " + String.join("; ", faults));
  }
}
