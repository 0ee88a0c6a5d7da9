package dev.mely;

import dev.mely.report.Statistics;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What the cores have counted, at the time of the look. Immutable. */
record Snapshot(List<Statistics.PerCore> cores, long refused, long dropped, long blocked)
    implements Statistics {
  /** Head of the first column, and its width. */
  private static final String CORE = "core";

  /** Between two columns. */
  private static final String GAP = "  ";

  Snapshot {
    cores = List.copyOf(cores);
  }

  /**
   * Reads what the cores count, and stops none of them. Any thread.
   *
   * @param blocked null: no blocked handlers are reported
   */
  static Snapshot of(Scheduler scheduler, @Nullable BlockedHandlers blocked) {
    List<PerCore> cores = new ArrayList<>();
    long now = scheduler.host.nanos();
    for (int i = 0; i < scheduler.cores(); i++) {
      cores.add(OfCore.of(scheduler.core(i), now, blocked == null ? 0 : blocked.reports(i)));
    }
    Overload overload = scheduler.overload;
    return overload == null
        ? new Snapshot(cores, 0, 0, 0)
        : new Snapshot(cores, overload.refused(), overload.dropped(), overload.blocked());
  }

  @Override
  public PerCore total() {
    EnumMap<Figure, Long> sums = new EnumMap<>(Figure.class);
    for (Figure figure : Figure.values()) {
      sums.put(figure, cores.stream().mapToLong(core -> core.get(figure)).sum());
    }
    long[] stolenFrom = new long[cores.size()];
    for (int victim = 0; victim < stolenFrom.length; victim++) {
      int from = victim;
      stolenFrom[victim] = cores.stream().mapToLong(core -> core.stolenFrom(from)).sum();
    }
    return new OfCore(-1, sums, stolenFrom);
  }

  /**
   * A table with one line per core and one for the sums; as many such tables, one below the other,
   * as a terminal needs for all columns.
   */
  @Override
  public String toString() {
    List<PerCore> lines = new ArrayList<>(cores);
    lines.add(total());
    StringBuilder text = new StringBuilder();
    List<Figure> columns = new ArrayList<>();
    int width = CORE.length();
    for (Figure figure : Figure.values()) {
      int more = GAP.length() + width(figure, lines);
      if (width + more > Terminal.WIDTH) {
        table(text, columns, lines);
        columns.clear();
        width = CORE.length();
      }
      columns.add(figure);
      width += more;
    }
    table(text, columns, lines);
    if (refused + dropped + blocked > 0) {
      text.append("refused ").append(refused);
      text.append(", dropped ").append(dropped);
      text.append(", blocked ").append(blocked).append('\n');
    }
    return text.toString();
  }

  private static void table(StringBuilder text, List<Figure> columns, List<PerCore> lines) {
    text.append(CORE);
    for (Figure figure : columns) {
      cell(text.append(GAP), width(figure, lines), figure.title());
    }
    for (PerCore line : lines) {
      String name = line.core() < 0 ? "all" : Integer.toString(line.core());
      cell(text.append('\n'), CORE.length(), name);
      for (Figure figure : columns) {
        cell(text.append(GAP), width(figure, lines), figure.format(line.get(figure)));
      }
    }
    text.append('\n');
  }

  /** Of a column: that of its title, or of its longest value. */
  private static int width(Figure figure, List<PerCore> lines) {
    int width = figure.title().length();
    for (PerCore line : lines) {
      width = Math.max(width, figure.format(line.get(figure)).length());
    }
    return width;
  }

  private static void cell(StringBuilder text, int width, String content) {
    text.append(" ".repeat(width - content.length())).append(content);
  }

  /**
   * One core. The values are not changed any more. No record: the numbers of all pairs of cores are
   * too many to be boxed, and a record with an array would compare it by identity.
   */
  static final class OfCore implements PerCore {
    private final int core;
    private final EnumMap<Figure, Long> values;
    private final long[] stolenFrom;

    OfCore(int core, EnumMap<Figure, Long> values, long[] stolenFrom) {
      this.core = core;
      this.values = values;
      this.stolenFrom = stolenFrom.clone(); // the core counts on
    }

    /**
     * Reads what a core counts.
     *
     * @param now on the host's clock
     * @param blockedHandlers how many have been reported
     */
    static OfCore of(Core core, long now, long blockedHandlers) {
      Counters c = core.counters;
      EnumMap<Figure, Long> values = new EnumMap<>(Figure.class);
      values.put(Figure.EVENTS, c.events);
      values.put(Figure.ERRORS, c.errors);
      values.put(Figure.BATCHES, c.batches);
      values.put(Figure.STEALS_TRIED, c.stealsTried);
      values.put(Figure.COLORS_STOLEN, c.stealsWon);
      values.put(Figure.STOLEN_NANOS, c.stolenNanos);
      values.put(Figure.STEAL_NANOS, c.stealNanos);
      values.put(Figure.TAKEOVERS, c.takeovers);
      values.put(Figure.POLLS, c.polls);
      values.put(Figure.PARKS, c.parks);
      values.put(Figure.WAKEUPS, c.wakeups);
      values.put(Figure.COLORS_WAITING, (long) core.queue.size());
      values.put(Figure.PASSED_OVER, c.passedOver);
      values.put(Figure.REGARDLESS, c.regardless);
      values.put(Figure.PARKED_NANOS, c.parkedNanos(now));
      values.put(Figure.BLOCKED_HANDLERS, blockedHandlers);
      return new OfCore(core.index, values, c.stolenFrom);
    }

    @Override
    public int core() {
      return core;
    }

    @Override
    public long get(Figure figure) {
      return values.getOrDefault(Objects.requireNonNull(figure, "figure"), 0L);
    }

    @Override
    public long stolenFrom(int victim) {
      if (victim < 0 || victim >= stolenFrom.length) {
        throw new IllegalArgumentException(
            "victim must be between 0 and " + (stolenFrom.length - 1) + ", but is " + victim);
      }
      return stolenFrom[victim];
    }

    /** All figures by name, in their order. */
    @Override
    public String toString() {
      return "core " + core + " " + values;
    }
  }
}
