package dev.mely.bench.sim;

import dev.mely.bench.ResultTable;
import dev.mely.bench.Results;
import java.util.List;

/** The table of the simulator's results: medians over several seeds. */
final class SimReport {
  private SimReport() {}

  private record Column(String title, String figure, double unit, int decimals) {
    /** Whether the column has a value other than zero. */
    boolean isTold(Results results) {
      return results.contenders().stream().anyMatch(c -> results.median(c, figure) > 0);
    }
  }

  private static final List<Column> COLUMNS =
      List.of(
          new Column("events/s (K)", "rate", 1e3, 0),
          new Column("answers/s (K)", "answerRate", 1e3, 1),
          new Column("in handlers %", "busy", 0.01, 1),
          new Column("p50 µs", "p50Micros", 1, 1),
          new Column("p99 µs", "p99Micros", 1, 1),
          new Column("p99.9 µs", "p999Micros", 1, 1),
          new Column("steals/1000", "stealsPerEvent", 1e-3, 2),
          new Column("tries/1000", "triesPerEvent", 1e-3, 2),
          new Column("steal ns", "nanosPerSteal", 1, 0),
          new Column("stolen ns", "stolenNanosPerSteal", 1, 0),
          new Column("wake-ups/1000", "wakeUpsPerEvent", 1e-3, 2),
          new Column("lines", "linesPerEvent", 1, 2),
          new Column("core 0 awaits lines %", "firstCoreLineShare", 0.01, 1),
          new Column("misses", "missesPerEvent", 1, 2),
          new Column("in locks %", "lockShare", 0.01, 2));

  static String text(Results results) {
    ResultTable table = new ResultTable("simulated", results);
    COLUMNS.stream()
        .filter(column -> column.isTold(results))
        .forEach(c -> table.scaled(c.title, c.figure, c.unit, c.decimals));
    return "\nSimulated, not measured: " + results.load() + "\n\n" + table + "\n";
  }
}
