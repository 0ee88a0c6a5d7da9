package dev.mely.bench;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A paper's figures for one benchmark, in the units of our samples. The paper's Mely is compared
 * with both of ours: the spinlock baseline, which follows the paper, and the runtime itself.
 *
 * @param benchmark its name here
 * @param loads the loads that the figures are for
 * @param source table and machine of the paper
 * @param rows the paper's configurations that exist here
 */
record Paper(String benchmark, List<String> loads, String source, List<Row> rows) {
  private static final String MELY_MACHINE =
      "; eight cores of 2.33 GHz, pairs share a cache of 6 MB";
  private static final double THOUSAND = 1e3;

  /**
   * One configuration.
   *
   * @param contenders its names here
   * @param figures by their names in a sample, see {@link Results#samples}
   */
  record Row(List<String> contenders, Map<String, Double> figures) {
    private static Row of(double rate, String... contenders) {
      return new Row(List.of(contenders), Map.of("rate", rate));
    }

    private Row with(String figure, double value) {
      Map<String, Double> more = new LinkedHashMap<>(figures);
      more.put(figure, value);
      return new Row(contenders, more);
    }

    /** Share of time spent in locks, in percent. */
    private Row locks(double percent) {
      return with("lockShare", percent / 100);
    }

    /** Cost of a steal, in cycles. */
    private Row steal(int cycles) {
      return with("nanosPerSteal", (double) Work.nanos(cycles));
    }

    /** Processing time of stolen events per steal, in cycles. */
    private Row stolen(int cycles) {
      return with("stolenNanosPerSteal", (double) Work.nanos(cycles));
    }
  }

  /**
   * Tables III and IV: thousands of events per second, locking time, cost of a steal, stolen time.
   */
  private static final Paper UNBALANCED =
      new Paper(
          "unbalanced",
          List.of("unbalanced"),
          "Mely (ICDCS 2010), tables III and IV" + MELY_MACHINE,
          List.of(
              Row.of(1_310 * THOUSAND, "libasync").locks(0.93),
              Row.of(122 * THOUSAND, "libasync-ws").locks(39.73).steal(28_329).stolen(484),
              Row.of(1_265 * THOUSAND, "mely-spinlock", "mely").locks(0.89),
              Row.of(1_195 * THOUSAND, "mely-spinlock-base-ws", "mely-base-ws")
                  .locks(1.42)
                  .steal(2_261)
                  .stolen(445),
              Row.of(2_042 * THOUSAND, "mely-spinlock-time-left", "mely-time-left")
                  .stolen(49_987)));

  /** Table V: thousands of events per second. Its cache misses need hardware counters. */
  private static final Paper PENALTY =
      new Paper(
          "penalty",
          List.of("chains"),
          "Mely (ICDCS 2010), table V" + MELY_MACHINE,
          List.of(
              Row.of(1_103 * THOUSAND, "libasync"),
              Row.of(190 * THOUSAND, "libasync-ws"),
              Row.of(1_386 * THOUSAND, "mely-spinlock-base-ws", "mely-base-ws"),
              Row.of(2_122 * THOUSAND, "mely-spinlock-penalty", "mely-penalty")));

  /** Table VI: thousands of events per second. Its cache misses need hardware counters. */
  private static final Paper CACHE_EFFICIENT =
      new Paper(
          "cacheEfficient",
          List.of("merge-sort"),
          "Mely (ICDCS 2010), table VI" + MELY_MACHINE,
          List.of(
              Row.of(1_156 * THOUSAND, "libasync"),
              Row.of(1_497 * THOUSAND, "libasync-ws"),
              Row.of(1_426 * THOUSAND, "mely-spinlock-base-ws", "mely-base-ws"),
              Row.of(1_869 * THOUSAND, "mely-spinlock-locality", "mely-locality")));

  /**
   * Table 2: tasks per second, with task object freelists, since events are reused here. There is
   * no configuration here with a single queue (61,420) or without freelists (240,618).
   */
  private static final Paper CHAINS =
      new Paper(
          "chains",
          List.of("1k-cycles", "25k-cycles"),
          "libasync-smp (USENIX 2003), table 2; four processors of 500 MHz",
          List.of(Row.of(293_997, "libasync"), Row.of(384_765, "libasync-ws")));

  /** All papers' figures. */
  static final List<Paper> ALL = List.of(UNBALANCED, PENALTY, CACHE_EFFICIENT, CHAINS);

  /** Returns the figures of a paper for results; null if there are none. */
  static @Nullable Paper of(Results results) {
    return ALL.stream()
        .filter(p -> p.benchmark.equals(results.benchmark()) && p.loads.contains(results.load()))
        .findFirst()
        .orElse(null);
  }

  /** Returns whether the paper has a figure of that name. */
  boolean tells(String figure) {
    return rows.stream().anyMatch(row -> row.figures.containsKey(figure));
  }

  /** Returns a figure of the paper; NaN if it does not have it. */
  double figure(String contender, String figure) {
    return rows.stream()
        .filter(row -> row.contenders.contains(contender))
        .mapToDouble(row -> row.figures.getOrDefault(figure, Double.NaN))
        .findFirst()
        .orElse(Double.NaN);
  }
}
