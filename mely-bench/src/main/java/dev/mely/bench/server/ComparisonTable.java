package dev.mely.bench.server;

import dev.mely.bench.Results;
import dev.mely.bench.Score;
import dev.mely.bench.Spread;
import dev.mely.bench.Table;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * The table of a comparison, a line per contender: its score, the ratio to its reference, sample by
 * sample, with its range, and what else is added. Figures are medians of the samples.
 */
final class ComparisonTable {
  private final Results results;
  private final Map<String, Function<String, String>> columns = new LinkedHashMap<>();

  /**
   * Begins with names, scores and ratios.
   *
   * @param contender the title of the names
   */
  ComparisonTable(String contender, Results results) {
    this.results = results;
    Score score = results.score();
    columns.put(contender, name -> name);
    columns.put(
        score.title(),
        name ->
            Table.number(results.median(name, score.figure()) / score.unit(), score.decimals()));
    columns.put("× stock", name -> Table.number(results.ratio(name).median(), 2));
    columns.put("range", name -> results.ratio(name).range(2));
  }

  /** Adds a figure. */
  ComparisonTable median(String title, String figure, int decimals) {
    return column(title, name -> Table.number(results.median(name, figure), decimals));
  }

  /** Adds a figure with the least and the greatest of the samples. */
  ComparisonTable spread(String title, String figure, int decimals) {
    return column(
        title,
        name -> {
          Spread spread = Spread.of(results.figure(name, figure));
          return Table.number(spread.median(), decimals) + " (" + spread.range(decimals) + ")";
        });
  }

  /**
   * Adds what ends most tables: the CPU time of the server's compilers and of its collector, that
   * of the client and of all others, and how many samples were taken of a warm server.
   */
  ComparisonTable cpus() {
    return median("C1 %", "c1Percent", 1)
        .median("C2 %", "c2Percent", 1)
        .median("GC %", "gcPercent", 1)
        .column("warm", name -> of(results.figure(name, WarmUp.FLAT)))
        .median("client CPUs", "clientCpus", 2)
        .median("others CPUs", Meter.OTHERS, 2);
  }

  /** How many samples had what is 1 or 0 in each that was asked, of how many. */
  static String of(double[] figure) {
    double[] known = Arrays.stream(figure).filter(Double::isFinite).toArray();
    return known.length == 0 ? "–" : Math.round(Arrays.stream(known).sum()) + "/" + known.length;
  }

  /** What the columns of {@link #cpus} mean. */
  static final String CPUS_LEGEND =
      """
      C1, C2, GC: what the server's two compilers and its collector used, in percent of a CPU; –: not
      known here. warm: samples before which the CPU time per answer had stayed within 3 percent and the
      compilers below 1 percent of a CPU for three slices of the warm-up; in the others it was cut short.
      """;

  /** Adds a column of any kind. */
  ComparisonTable column(String title, Function<String, String> cell) {
    columns.put(title, cell);
    return this;
  }

  /** The lines, each ending in a line feed. */
  @Override
  public String toString() {
    Table table = new Table(columns.keySet().toArray(new String[0]));
    for (String contender : results.contenders()) {
      List<String> cells = new ArrayList<>();
      columns.values().forEach(cell -> cells.add(cell.apply(contender)));
      table.add(cells.toArray(new String[0]));
    }
    return table.toString();
  }
}
