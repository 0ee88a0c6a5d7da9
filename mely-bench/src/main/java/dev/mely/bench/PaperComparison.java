package dev.mely.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.knowm.xchart.CategoryChart;

/**
 * Compares our figures with a paper's: a table and a chart. The machines differ, so only ratios can
 * be compared.
 */
final class PaperComparison {
  /** A further figure, its title, and the unit in which the table shows it. */
  private record Secondary(String figure, String title, double unit) {}

  private static final List<Secondary> SECONDARY =
      List.of(
          new Secondary("nanosPerSteal", "steal µs", 1e3),
          new Secondary("stolenNanosPerSteal", "stolen µs", 1e3),
          new Secondary("lockShare", "in locks %", 0.01));

  private final Results results;
  private final Paper paper;
  private final String reference;

  private PaperComparison(Results results, Paper paper, String reference) {
    this.results = results.comparedWith(reference);
    this.paper = paper;
    this.reference = reference;
  }

  /**
   * Compares results with a paper's.
   *
   * @return null if no paper has figures of at least two of the configurations
   */
  static @Nullable PaperComparison of(Results results) {
    Paper paper = Paper.of(results);
    if (paper == null) {
      return null;
    }
    String score = results.score().figure();
    List<String> told =
        results.contenders().stream().filter(c -> Double.isFinite(paper.figure(c, score))).toList();
    if (told.size() < 2) {
      return null;
    }
    // The run's own reference, if the paper has it.
    String first = told.get(0);
    String own = results.references().getOrDefault(first, first);
    return new PaperComparison(results, paper, told.contains(own) ? own : first);
  }

  private double paperRatio(String contender, String other) {
    String score = results.score().figure();
    return paper.figure(contender, score) / paper.figure(other, score);
  }

  /** The table, and the source of the paper's figures. */
  @Override
  public String toString() {
    return table()
        + "\n\"paper\", right of each figure of ours: "
        + paper.source()
        + ". Ratios compare, absolute figures do\nnot.\n";
  }

  private ResultTable table() {
    Score score = results.score();
    ResultTable table =
        new ResultTable("configuration", results)
            .scaled(score.title(), score.figure(), score.unit(), score.decimals())
            .column("paper", c -> paper(c, score.figure(), score.unit(), score.decimals()))
            .ratio("× " + reference, score.figure())
            .range(score.figure())
            .column("paper", c -> Table.number(paperRatio(c, reference), 2));
    for (Secondary s : SECONDARY) {
      if (paper.tells(s.figure)) {
        table
            .scaled(s.title, s.figure, s.unit, 2)
            .column("paper", c -> paper(c, s.figure, s.unit, 2));
      }
    }
    return table;
  }

  private String paper(String contender, String figure, double unit, int decimals) {
    return Table.number(paper.figure(contender, figure) / unit, decimals);
  }

  // ---- Chart

  /** A chart of the ratios that the paper has, too. */
  CategoryChart chart() {
    List<String> told = new ArrayList<>();
    List<Spread> here = new ArrayList<>();
    List<Spread> there = new ArrayList<>();
    for (String c : results.contenders()) {
      double ratio = paperRatio(c, reference);
      if (Double.isFinite(ratio)) {
        told.add(c);
        here.add(results.ratio(c));
        there.add(Spread.of(ratio));
      }
    }
    Map<String, List<Spread>> series = new LinkedHashMap<>();
    series.put("here", here);
    series.put("paper", there);
    return Charts.bars(
        results.title() + ": compared with the paper", "× " + reference, told, series);
  }
}
