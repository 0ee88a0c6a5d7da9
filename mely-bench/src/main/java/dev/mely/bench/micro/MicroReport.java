package dev.mely.bench.micro;

import dev.mely.bench.Results;
import dev.mely.bench.Score;
import dev.mely.bench.Spread;
import dev.mely.bench.Table;
import dev.mely.bench.baseline.Configuration;

/** The table of a microbenchmark: medians over the JVMs of a configuration. */
public final class MicroReport {
  private static final double MICRO = 1e3;
  private static final double PERCENT = 100;

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
    Table table =
        new Table(
            "configuration",
            results.score().title(),
            "× " + reference,
            "range",
            "of ceiling",
            "steals/1000",
            "stolen µs",
            "steal µs",
            "take-overs/1000",
            "parks/1000",
            "wake-ups/1000",
            "locks/event",
            "in locks %",
            "B/event",
            "others CPUs");
    results.contenders().forEach(c -> table.add(row(c)));
    return table
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

  private String[] row(String c) {
    Score score = results.score();
    Spread ratio = results.ratio(c);
    return new String[] {
      c,
      Table.number(results.median(c, score.figure()) / score.unit(), score.decimals()),
      Table.number(ratio.median(), 2),
      ratio.range(2),
      Table.number(ceiling.ratio(c).median(), 2),
      number(c, "stealsPerThousand", 1, 3),
      number(c, "stolenNanosPerSteal", 1 / MICRO, 2),
      number(c, "nanosPerSteal", 1 / MICRO, 2),
      number(c, "takeoversPerThousand", 1, 3),
      number(c, "parksPerThousand", 1, 3),
      number(c, "wakeupsPerThousand", 1, 3),
      number(c, "locksPerEvent", 1, 2),
      number(c, "lockShare", PERCENT, 2),
      number(c, "bytesPerEvent", 1, 2),
      number(c, "othersCpus", 1, 2)
    };
  }

  private String number(String contender, String figure, double factor, int decimals) {
    return Table.number(results.median(contender, figure) * factor, decimals);
  }
}
