package dev.mely.bench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;

/** A table of results, a line per contender. Figures are medians of the samples. */
public final class ResultTable {
  /** A sample's figure of what other processes used meanwhile, in CPUs. */
  public static final String OTHERS = "othersCpus";

  /** A sample's figure: 1 if the server was warm in time, else 0. */
  public static final String WARM = "flat";

  private final Results results;
  private final List<Column> columns = new ArrayList<>();

  private record Column(String title, Function<String, String> cell) {}

  /**
   * Begins with the names.
   *
   * @param contender their title
   */
  public ResultTable(String contender, Results results) {
    this.results = results;
    column(contender, name -> name);
  }

  /** Adds the score, and its ratio to the reference, sample by sample, with its range. */
  public ResultTable score(String reference) {
    Score score = results.score();
    return scaled(score.title(), score.figure(), score.unit(), score.decimals())
        .ratio(reference, score.figure())
        .range(score.figure());
  }

  /** Adds the range of that ratio. */
  public ResultTable range(String figure) {
    return column("range", name -> results.ratio(name, figure).range(2));
  }

  /** Adds the score, and its ratio to that of Netty's own group. */
  public ResultTable score() {
    return score("× stock");
  }

  /** Adds a figure. */
  public ResultTable median(String title, String figure, int decimals) {
    return scaled(title, figure, 1, decimals);
  }

  /**
   * Adds a figure.
   *
   * @param unit how much of it is one in the table
   */
  public ResultTable scaled(String title, String figure, double unit, int decimals) {
    return column(title, name -> Table.number(results.median(name, figure) / unit, decimals));
  }

  /** Adds the ratio of a figure to the reference's, sample by sample. */
  public ResultTable ratio(String title, String figure) {
    return column(title, name -> Table.number(results.ratio(name, figure).median(), 2));
  }

  /** Adds a figure with the least and the greatest of the samples. */
  public ResultTable spread(String title, String figure, int decimals) {
    return column(
        title,
        name -> {
          Spread spread = results.spread(name, figure);
          return Table.number(spread.median(), decimals) + " (" + spread.range(decimals) + ")";
        });
  }

  /** Adds a figure that is 1 or 0 as a share: of the samples that have it, those with a 1. */
  public ResultTable share(String title, String figure) {
    return column(
        title,
        name -> {
          double[] known = Results.known(results.figure(name, figure));
          long of = Math.round(Arrays.stream(known).sum());
          return known.length == 0 ? "–" : of + "/" + known.length;
        });
  }

  /** Adds the CPU time of the server's compilers and of its collector. */
  public ResultTable jvm() {
    return median("C1 %", "c1Percent", 1)
        .median("C2 %", "c2Percent", 1)
        .median("GC %", "gcPercent", 1);
  }

  /** Adds what ends most tables: {@link #jvm}, how many samples were warm, and {@link #clients}. */
  public ResultTable cpus() {
    return jvm().share("warm", WARM).clients();
  }

  /** Adds the CPU time of the clients and of all others. */
  public ResultTable clients() {
    return median("client CPUs", "clientCpus", 2).median("others CPUs", OTHERS, 2);
  }

  /** What the columns of {@link #cpus} mean. */
  public static final String CPUS_LEGEND =
      """
      C1, C2, GC: what the server's two compilers and its collector used, in percent of a CPU; –: not
      known here. warm: samples before which the CPU time per answer had stayed within 3 percent and the
      compilers below 1 percent of a CPU for three slices of the warm-up; in the others it was cut short.
      client CPUs: what the clients used of the CPUs that they share with the server; others CPUs: what all
      other processes did.
      """;

  /** Adds a column of any kind. */
  public ResultTable column(String title, Function<String, String> cell) {
    columns.add(new Column(title, cell));
    return this;
  }

  /** The lines, each ending in a line feed. */
  @Override
  public String toString() {
    Table table = new Table(columns.stream().map(Column::title).toArray(String[]::new));
    for (String name : results.contenders()) {
      table.add(columns.stream().map(c -> c.cell.apply(name)).toArray(String[]::new));
    }
    return table.toString();
  }
}
