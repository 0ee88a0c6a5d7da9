package dev.mely.bench.micro;

import dev.mely.bench.ResultTable;
import dev.mely.bench.Results;
import dev.mely.bench.Table;
import dev.mely.bench.baseline.Configuration;

/** The table of a microbenchmark: medians over the JVMs of a configuration. */
public final class MicroReport {
  private static final double MICRO = 1e3;
  private static final double PERCENT = 0.01;

  private final Results results;

  /** The results compared with the ceiling; without references if a greater score is not better. */
  private final Results ceiling;

  /**
   * @param results of one benchmark and load
   */
  public MicroReport(Results results) {
    this.results = results;
    this.ceiling =
        results.score().moreIsBetter()
            ? results.comparedWith(Configuration.CEILING.label())
            : results.comparedWith("");
  }

  /**
   * Whether results are of a microbenchmark.
   *
   * @return false for results of another command
   */
  public static boolean prints(Results results) {
    return Micro.labels().contains(results.benchmark());
  }

  /** The table, followed by its legend. */
  @Override
  public String toString() {
    String reference = results.references().values().stream().findFirst().orElse("the reference");
    return new ResultTable("configuration", results)
            .score("× " + reference)
            .column("of ceiling", c -> Table.number(ceiling.ratio(c).median(), 2))
            .median("steals/1000", "stealsPerThousand", 3)
            .scaled("stolen µs", "stolenNanosPerSteal", MICRO, 2)
            .scaled("steal µs", "nanosPerSteal", MICRO, 2)
            .median("take-overs/1000", "takeoversPerThousand", 3)
            .median("parks/1000", "parksPerThousand", 3)
            .median("wake-ups/1000", "wakeupsPerThousand", 3)
            .median("locks/event", "locksPerEvent", 2)
            .scaled("in locks %", "lockShare", PERCENT, 2)
            .median("B/event", "bytesPerEvent", 2)
            .median("others CPUs", ResultTable.OTHERS, 2)
        + "\nMedians of the JVMs. × "
        + reference
        + ": ratio to it, sample by sample, with its range"
        + (results.score().moreIsBetter() ? ". " : "; less is better. ")
        + """
        of ceiling:
        ratio to a plain ring per core without colors, with the work split evenly beforehand. Per steal:
        stolen µs, processing time of the stolen color directly after the steal; steal µs, cost of the steal.
        A take-over is a steal from a core that has been in one handler for milliseconds. A steal of a pool is
        a task taken from another queue. in locks: share of the cores' time spent waiting for locks. others
        CPUs: CPU time of other processes meanwhile. –: not reported.
        """;
  }
}
