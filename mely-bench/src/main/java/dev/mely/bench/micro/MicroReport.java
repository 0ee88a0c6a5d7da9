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

  /** The same, compared with what is possible; with nothing where more is not better. */
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
   * Whether results are those of a microbenchmark.
   *
   * @return false if they are of something else
   */
  public static boolean prints(Results results) {
    return Micro.labels().contains(results.benchmark());
  }

  /** The table, and below it what its columns mean. */
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
        likewise, to a plain ring per core without colors, the work split evenly beforehand. Per steal:
        stolen µs, time spent in the stolen color at once; steal µs, what the steal cost. A take-over is a
        steal from a core that has been in one handler for milliseconds. A steal of a pool is a task taken
        from another queue. in locks: share of the cores' time spent in waiting for a lock. others CPUs: what
        other processes used meanwhile. –: it does not tell.
        """;
  }
}
