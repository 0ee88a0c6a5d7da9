package dev.mely.bench.runtime;

import dev.mely.Mely;
import dev.mely.bench.BenchCommand;
import dev.mely.bench.Environment;
import dev.mely.bench.Progress;
import dev.mely.bench.ResultFile;
import dev.mely.bench.ResultTable;
import dev.mely.bench.Results;
import dev.mely.bench.Score;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Compares the orders in which a core runs its colors. */
@Command(
    name = "order",
    description =
        "32 heavy colors of 500 µs an event beside 32 light ones of 2 µs on one core, open loop: "
            + "in turn, and cheapest first. Needs two CPUs: one registers the events.")
public final class OrderCommand extends BenchCommand {
  @Option(names = "--load", description = "Load of the core (default: ${DEFAULT-VALUE}).")
  private double load = 0.9;

  @Option(names = "--samples", description = "Samples of each order (default: ${DEFAULT-VALUE}).")
  private int samples = 5;

  @Option(names = "--seconds", description = "Length of a sample (default: ${DEFAULT-VALUE}).")
  private double seconds = 5;

  @Option(names = "--seed", description = "Seed of the arrivals (default: ${DEFAULT-VALUE}).")
  private long seed = 1;

  @Option(
      names = "--json",
      paramLabel = "<file>",
      description = "where to leave the samples (default: order.json, in mely-bench/target)")
  private @Nullable Path json;

  @Override
  public Integer call() {
    inRange("--samples", samples, 1, 1_000);
    inRange("--load", (int) Math.round(load * 100), 1, 99); // in percent
    long nanos = nanos("--seconds", seconds);
    Environment environment = Environment.of(1, true, "");
    System.out.print(environment);
    System.out.printf(
        Locale.ROOT,
        "%d samples of %.1f s each, load %.2f, seed %d%n",
        samples,
        nanos / 1e9,
        load,
        seed);
    Map<Mely.Order, List<Map<String, Double>>> results = new EnumMap<>(Mely.Order.class);
    try (Progress progress = new Progress("order", (samples + 1) * Mely.Order.values().length)) {
      // The first of each is thrown away: the code has to be compiled.
      for (int i = 0; i <= samples; i++) {
        for (Mely.Order order : Mely.Order.values()) {
          progress.begin(order.name());
          Map<String, Double> sample = new MixedLoad(order, load, nanos, seed + i).run();
          if (i > 0) {
            results.computeIfAbsent(order, o -> new ArrayList<>()).add(sample);
          }
          progress.end();
        }
      }
    }
    System.out.println();
    Results named = results(results, environment);
    System.out.print(report(named));
    System.out.println("Samples: " + ResultFile.write(json, named));
    return 0;
  }

  private Results results(
      Map<Mely.Order, List<Map<String, Double>>> samples, Environment environment) {
    Map<String, Object> dependsOn = new LinkedHashMap<>(environment.toMap());
    dependsOn.put("load", load);
    dependsOn.put("seed", seed);
    Map<String, String> references = new LinkedHashMap<>();
    Map<String, List<Map<String, Double>>> samplesByName = new LinkedHashMap<>();
    samples.forEach(
        (order, list) -> {
          references.put(label(order), label(Mely.Order.ROTATION));
          samplesByName.put(label(order), list);
        });
    Score score = new Score("lightP99Millis", "light p99 ms", 1, 3, false);
    return new Results("order", "", score, references, dependsOn, samplesByName);
  }

  private static String label(Mely.Order order) {
    return order.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  static String report(Results results) {
    return new ResultTable("order", results)
            .median("events/s", "eventsPerSecond", 0)
            .column("× rotation", order -> results.ratio(order, "eventsPerSecond").toString())
            .median("light p50 ms", "lightP50Millis", 3)
            .median("light p99 ms", "lightP99Millis", 3)
            .column("× rotation", order -> results.ratio(order).toString())
            .median("light max ms", "lightMaxMillis", 2)
            .median("heavy p50 ms", "heavyP50Millis", 2)
            .median("heavy p99 ms", "heavyP99Millis", 2)
            .median("heavy max ms", "heavyMaxMillis", 2)
        + """

        Medians of the samples; ratios sample by sample with their range. Both orders get the same
        arrivals. Latency counts from the time at which an event was due.
        """;
  }
}
