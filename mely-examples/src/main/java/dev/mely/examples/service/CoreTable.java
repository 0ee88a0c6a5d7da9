package dev.mely.examples.service;

import dev.mely.report.Statistics;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** What each core did, as a table. */
public final class CoreTable {
  private CoreTable() {}

  /**
   * What one core did.
   *
   * @param core its number
   * @param events how many events it ran
   * @param steals how many colors it took from others
   * @param stolen the processing time of the stolen events
   */
  public record Row(int core, long events, long steals, Duration stolen) {}

  /**
   * Makes rows from a runtime's statistics.
   *
   * @param statistics of the runtime
   * @return a row per core
   */
  public static List<Row> rows(Statistics statistics) {
    return statistics.cores().stream()
        .map(
            core ->
                new Row(
                    core.core(),
                    core.events(),
                    core.colorsStolen(),
                    Duration.ofNanos(core.stolenNanos())))
        .toList();
  }

  /**
   * Formats rows and their sums.
   *
   * @param rows one per core
   * @return lines, each with a line end; a single one if there are no rows
   */
  public static String format(List<Row> rows) {
    if (rows.isEmpty()) {
      return String.format(Locale.ROOT, "No statistics per core.%n");
    }
    StringBuilder table = new StringBuilder();
    table.append(
        String.format(
            Locale.ROOT, "%-6s %15s %12s %16s%n", "core", "events", "steals", "stolen ms"));
    long events = 0;
    long steals = 0;
    Duration stolen = Duration.ZERO;
    for (Row row : rows) {
      table.append(line(String.valueOf(row.core()), row.events(), row.steals(), row.stolen()));
      events += row.events();
      steals += row.steals();
      stolen = stolen.plus(row.stolen());
    }
    return table.append(line("all", events, steals, stolen)).toString();
  }

  private static String line(String core, long events, long steals, Duration stolen) {
    double millis = stolen.toNanos() / 1e6;
    return String.format(Locale.ROOT, "%-6s %,15d %,12d %,16.3f%n", core, events, steals, millis);
  }
}
