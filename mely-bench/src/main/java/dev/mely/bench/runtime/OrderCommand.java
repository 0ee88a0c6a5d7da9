package dev.mely.bench.runtime;

import dev.mely.MelyBuilder;
import dev.mely.bench.Environment;
import dev.mely.bench.ResultTable;
import dev.mely.bench.Results;
import dev.mely.bench.Retakes;
import dev.mely.bench.Score;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.PrimitiveIterator;
import java.util.concurrent.Callable;
import java.util.stream.LongStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Compares the orders in which a core runs its colors. */
@Command(
    name = "order",
    description =
        "32 heavy colors with events of 500 µs and 32 light ones with 2 µs on one core, open"
            + " loop: in turn, and cheapest first. Needs two CPUs: one registers the events.")
public final class OrderCommand extends RuntimeCommand {
  @Option(names = "--load", description = "Load of the core (default: ${DEFAULT-VALUE}).")
  private double load = 0.9;

  @Option(names = "--samples", description = "Samples of each order (default: ${DEFAULT-VALUE}).")
  private int samples = 5;

  @Option(names = "--seconds", description = "Length of a sample (default: ${DEFAULT-VALUE}).")
  private double seconds = 5;

  @Option(names = "--seed", description = "Seed of the arrivals (default: ${DEFAULT-VALUE}).")
  private long seed = 1;

  @Override
  public Integer call() throws Exception {
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
    Map<String, String> references = new LinkedHashMap<>();
    Map<String, Callable<Map<String, Double>>> takers = new LinkedHashMap<>();
    for (MelyBuilder.Order order : MelyBuilder.Order.values()) {
      new MixedLoad(order, load, nanos, seed).run(); // thrown away: the code has to be compiled
      PrimitiveIterator.OfLong seeds = LongStream.iterate(seed + 1, s -> s + 1).iterator();
      takers.put(label(order), () -> new MixedLoad(order, load, nanos, seeds.nextLong()).run());
      references.put(label(order), label(MelyBuilder.Order.ROTATION));
    }
    Map<String, Object> dependsOn = new LinkedHashMap<>(environment.toMap());
    dependsOn.put("load", load);
    dependsOn.put("seed", seed);
    Score score = new Score("lightP99Millis", "light p99 ms", 1, 3, false);
    var taken = new Retakes().inTurn("order", samples, takers);
    Results results = new Results("order", "", score, references, dependsOn, taken);
    System.out.println();
    System.out.print(report(results));
    leave(results);
    return 0;
  }

  private static String label(MelyBuilder.Order order) {
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
