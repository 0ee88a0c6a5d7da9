package dev.mely.bench.sim;

import dev.mely.bench.Charts;
import dev.mely.bench.Table;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.knowm.xchart.XYChart;

/** Tells people what runs of the simulator have shown. */
final class SimReport {
  private SimReport() {}

  /** A figure of the tables. */
  private record Column(String title, String figure, double unit, int decimals) {}

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

  /** Tables, one per machine and workload. */
  static String text(List<SimCommand.Row> rows) {
    StringBuilder text = new StringBuilder();
    groups(rows)
        .forEach(
            (title, group) -> {
              text.append("\nSimulated, not measured: ").append(title).append("\n\n");
              text.append(table(group));
            });
    return text.append('\n').toString();
  }

  private static Map<String, List<SimCommand.Row>> groups(List<SimCommand.Row> rows) {
    Map<String, List<SimCommand.Row>> groups = new LinkedHashMap<>();
    for (SimCommand.Row row : rows) {
      String title = row.point().workload() + " on " + row.point().machine();
      groups.computeIfAbsent(title, t -> new ArrayList<>()).add(row);
    }
    return groups;
  }

  private static Table table(List<SimCommand.Row> rows) {
    List<Column> told = COLUMNS.stream().filter(c -> isTold(rows, c.figure())).toList();
    boolean loads = rows.stream().anyMatch(r -> Double.isFinite(r.point().load()));
    boolean seeds = rows.stream().map(r -> r.point().seed()).distinct().count() > 1;
    List<String> header = new ArrayList<>(List.of("simulated", "cores"));
    if (loads) {
      header.add("load");
    }
    if (seeds) {
      header.add("seed");
    }
    told.forEach(c -> header.add(c.title()));
    Table table = new Table(header.toArray(new String[0]));
    for (SimCommand.Row row : rows) {
      List<String> cells = new ArrayList<>();
      cells.add(row.point().configuration());
      cells.add(String.valueOf(row.point().cores()));
      if (loads) {
        cells.add(Table.number(row.point().load(), 2));
      }
      if (seeds) {
        cells.add(String.valueOf(row.point().seed()));
      }
      for (Column c : told) {
        double value = row.figures().getOrDefault(c.figure(), Double.NaN);
        cells.add(Table.number(value / c.unit(), c.decimals()));
      }
      table.add(cells.toArray(new String[0]));
    }
    return table;
  }

  /** Whether it is anything but zero anywhere. */
  private static boolean isTold(List<SimCommand.Row> rows, String figure) {
    return rows.stream().anyMatch(r -> r.figures().getOrDefault(figure, 0.0) > 0);
  }

  // ---- Pictures

  /** A picture, and what its files are called. */
  record Picture(String name, Supplier<XYChart> chart) {}

  /**
   * For each machine and workload of which cores were swept one picture a load, and one for each
   * number of cores if loads were.
   */
  static List<Picture> pictures(List<SimCommand.Row> rows) {
    List<Picture> pictures = new ArrayList<>();
    groups(rows)
        .forEach(
            (title, group) -> {
              String name = "sim-" + title.replace(" on ", "-");
              split(group, r -> "load " + r.point().load())
                  .forEach(
                      (at, part) -> {
                        if (part.stream().map(r -> r.point().cores()).distinct().count() > 1) {
                          pictures.add(byCores(name + file(at), title + at, part));
                        }
                      });
              split(group, r -> r.point().cores() + " cores")
                  .forEach(
                      (at, part) -> {
                        if (part.stream().map(r -> r.point().load()).distinct().count() > 1) {
                          pictures.add(byLoad(name + file(at), title + at, part));
                        }
                      });
            });
    return pictures;
  }

  /** Rows apart by what must not be mixed in one picture; named only if there is a choice. */
  private static Map<String, List<SimCommand.Row>> split(
      List<SimCommand.Row> rows, Function<SimCommand.Row, String> by) {
    Map<String, List<SimCommand.Row>> parts = new LinkedHashMap<>();
    for (SimCommand.Row row : rows) {
      parts.computeIfAbsent(", " + by.apply(row), p -> new ArrayList<>()).add(row);
    }
    return parts.size() == 1 ? Map.of("", rows) : parts;
  }

  private static String file(String at) {
    return at.replace(", ", "-").replace(" ", "-");
  }

  private static Picture byCores(String name, String title, List<SimCommand.Row> rows) {
    boolean open = rows.stream().anyMatch(r -> Double.isFinite(r.point().load()));
    String figure = open ? "p99Micros" : "rate";
    String unit = open ? "p99, µs" : "events per second, millions";
    double scale = open ? 1 : 1e6;
    return new Picture(
        name + "-cores",
        () ->
            Charts.curves(
                "Simulated: " + title,
                "cores",
                unit,
                curves(rows, r -> r.point().cores(), figure, scale)));
  }

  private static Picture byLoad(String name, String title, List<SimCommand.Row> rows) {
    return new Picture(
        name + "-load",
        () ->
            Charts.curves(
                "Simulated: " + title,
                "load",
                "p99, µs",
                curves(rows, r -> r.point().load(), "p99Micros", 1)));
  }

  /** By configuration: where, and what. Of several seeds, the mean. */
  private static Map<String, Map<Double, Double>> curves(
      List<SimCommand.Row> rows,
      ToDoubleFunction<SimCommand.Row> where,
      String figure,
      double unit) {
    Map<String, Map<Double, List<Double>>> all = new LinkedHashMap<>();
    for (SimCommand.Row row : rows) {
      Double value = row.figures().get(figure);
      if (value != null) {
        all.computeIfAbsent(row.point().configuration(), c -> new TreeMap<>())
            .computeIfAbsent(where.applyAsDouble(row), w -> new ArrayList<>())
            .add(value / unit);
      }
    }
    Map<String, Map<Double, Double>> means = new LinkedHashMap<>();
    all.forEach(
        (name, points) -> {
          Map<Double, Double> curve = new TreeMap<>();
          points.forEach(
              (x, ys) ->
                  curve.put(x, ys.stream().mapToDouble(y -> y).average().orElse(Double.NaN)));
          means.put(name, curve);
        });
    return means;
  }
}
