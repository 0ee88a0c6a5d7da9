package dev.mely.bench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;

/** A table of results, with a line per configuration. Figures are medians of the samples. */
public final class ResultTable {
  /** Name of a sample's figure: CPU time of other processes meanwhile, in CPUs. */
  public static final String OTHERS = "othersCpus";

  /** Name of a sample's figure: 1 if the server was warm in time, else 0. */
  public static final String WARM = "flat";

  private final Results results;
  private final List<Column> columns = new ArrayList<>();

  private record Column(String title, Function<String, String> cell) {}

  /**
   * Starts with the column of names.
   *
   * @param contender its title
   */
  public ResultTable(String contender, Results results) {
    this.results = results;
    column(contender, name -> name);
  }

  /** Adds the score, and its ratio to the reference's, sample by sample, with its range. */
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

  /** Adds the score, and its ratio to that of Netty's own group ("stock"). */
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
   * @param unit divisor of the figure in the table
   */
  public ResultTable scaled(String title, String figure, double unit, int decimals) {
    return column(title, name -> Table.number(results.median(name, figure) / unit, decimals));
  }

  /** Adds the ratio of a figure to the reference's, sample by sample. */
  public ResultTable ratio(String title, String figure) {
    return column(title, name -> Table.number(results.ratio(name, figure).median(), 2));
  }

  /** Adds a figure with the minimum and maximum of the samples. */
  public ResultTable spread(String title, String figure, int decimals) {
    return column(
        title,
        name -> {
          Spread spread = results.spread(name, figure);
          return Table.number(spread.median(), decimals) + " (" + spread.range(decimals) + ")";
        });
  }

  /** Adds how many of the samples that have a figure have the value 1. */
  public ResultTable share(String title, String figure) {
    return column(
        title,
        name -> {
          double[] known = Results.known(results.figure(name, figure));
          long of = Math.round(Arrays.stream(known).sum());
          return known.length == 0 ? "–" : of + "/" + known.length;
        });
  }

  /** Adds the CPU time of the server's compilers and garbage collector. */
  public ResultTable jvm() {
    return median("C1 %", "c1Percent", 1)
        .median("C2 %", "c2Percent", 1)
        .median("GC %", "gcPercent", 1);
  }

  /** Adds the last columns of most tables: {@link #jvm}, warm samples, and {@link #clients}. */
  public ResultTable cpus() {
    return jvm().share("warm", WARM).clients();
  }

  /** Adds the CPU time of the clients and of other processes. */
  public ResultTable clients() {
    return median("client CPUs", "clientCpus", 2).median("others CPUs", OTHERS, 2);
  }

  /** Explains the columns of {@link #cpus}. */
  public static final String CPUS_LEGEND =
      """
      C1, C2, GC: CPU time of the server's two compilers and its garbage collector, in percent of a CPU;
      –: unknown. warm: samples whose server was warm: over three slices of the warm-up, the CPU time per
      answer stayed within 3 percent and the compilers below 1 percent of a CPU; in the other samples, the
      warm-up reached its time limit. client CPUs, others CPUs: CPU time of the clients, which share the
      CPUs with the server, and of all other processes.
      """;

  /** Adds a column of any kind. */
  public ResultTable column(String title, Function<String, String> cell) {
    columns.add(new Column(title, cell));
    return this;
  }

  /** The table, whose lines all end with a line feed. */
  @Override
  public String toString() {
    Table table = new Table(columns.stream().map(Column::title).toArray(String[]::new));
    for (String name : results.contenders()) {
      table.add(columns.stream().map(c -> c.cell.apply(name)).toArray(String[]::new));
    }
    return table.toString();
  }
}
