package dev.mely.bench.server;

import dev.mely.bench.Charts;
import dev.mely.bench.Results;
import dev.mely.bench.Spread;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;
import org.knowm.xchart.CategoryChart;

/**
 * The pictures of {@code compare}.
 *
 * @param results one for each load
 * @param loops event loops of each server
 * @param percentiles of latency that there are
 */
record CompareCharts(List<Results> results, int loops, List<Double> percentiles) {
  /** Draws them all. Returns the files. */
  List<Path> write(Path directory) {
    List<Path> files = new ArrayList<>(Charts.write(this::rates, directory, "compare-throughput"));
    for (Results r : results) {
      files.addAll(Charts.write(() -> latency(r), directory, "compare-latency-" + r.load()));
      files.addAll(Charts.write(() -> busy(r), directory, "compare-cores-" + r.load()));
    }
    return files;
  }

  /** What the figures are of, and who shares the CPUs: below each picture. */
  String caption(List<Results> shown) {
    double[] clients =
        shown.stream()
            .flatMap(r -> r.contenders().stream().map(c -> r.median(c, "clientCpus")))
            .mapToDouble(Double::doubleValue)
            .toArray();
    Spread used = Spread.of(clients);
    return String.format(
        Locale.ROOT,
        "stock: Netty's own group. %d event loops on %s CPUs, which the clients share: they used %.2f "
            + "to %.2f of them. Medians of %d samples.",
        loops,
        cpus(shown.get(0)),
        used.min(),
        used.max(),
        shown.get(0).samples().values().iterator().next().size());
  }

  private static String cpus(Results r) {
    return r.environment().get("cpus") instanceof Number n ? Integer.toString(n.intValue()) : "?";
  }

  private CategoryChart rates() {
    Map<String, List<Spread>> rates = new LinkedHashMap<>();
    for (Results r : results) {
      for (String c : r.contenders()) {
        Spread rate = Spread.of(r.figure(c, r.score().figure()));
        rates.computeIfAbsent(c, x -> new ArrayList<>()).add(rate);
      }
    }
    List<String> loads = results.stream().map(Results::load).toList();
    String title = "Throughput (mixed: no more can come back than is sent)";
    return Charts.caption(Charts.bars(title, "requests/s", loads, rates), caption(results));
  }

  private CategoryChart latency(Results r) {
    Map<String, List<Double>> lines = new LinkedHashMap<>();
    List<String> names = percentiles.stream().map(CompareCommand::percentile).toList();
    for (String c : r.contenders()) {
      lines.put(c, names.stream().map(p -> r.median(c, p + "Millis")).toList());
    }
    String of = r.load().equals(CompareCommand.Load.MIXED.label()) ? "all" : "light";
    String title = "Latency of " + of + " requests, " + r.load();
    return Charts.caption(
        Charts.percentiles(title, "ms since due", names, lines), caption(List.of(r)));
  }

  private CategoryChart busy(Results r) {
    Map<String, List<Spread>> bars = new LinkedHashMap<>();
    for (String c : r.contenders()) {
      bars.put(
          c, IntStream.range(0, loops).mapToObj(i -> percent(r.figure(c, "loop" + i))).toList());
    }
    List<String> names = IntStream.range(0, loops).mapToObj(i -> "loop " + i).toList();
    String title = "How busy each event loop was, " + r.load();
    return Charts.caption(Charts.bars(title, "% of a CPU", names, bars), caption(List.of(r)));
  }

  private static Spread percent(double[] shares) {
    // A loop of Netty's that never had a connection has no thread.
    return Spread.of(Arrays.stream(shares).map(s -> Double.isNaN(s) ? 0 : 100 * s).toArray());
  }
}
