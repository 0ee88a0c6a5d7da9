package dev.mely;

import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What the cores have done so far. A snapshot: each figure is recent, but they are not taken at one
 * instant. Immutable.
 */
public final class Statistics {
  private final List<PerCore> cores;
  private final long refused;
  private final long dropped;
  private final long blocked;

  /**
   * @param cores by number
   */
  Statistics(List<PerCore> cores, long refused, long dropped, long blocked) {
    this.cores = List.copyOf(cores);
    this.refused = refused;
    this.dropped = dropped;
    this.blocked = blocked;
  }

  /**
   * Returns what each core has done.
   *
   * @return one entry per core, by number; cannot be changed
   */
  public List<PerCore> cores() {
    return cores;
  }

  /**
   * Returns how many registrations found no room: see {@link MelyBuilder#maxPending}.
   *
   * @return 0 or more
   */
  public long refused() {
    return refused;
  }

  /**
   * Returns how many events had to give room to younger ones.
   *
   * @return 0 or more
   */
  public long dropped() {
    return dropped;
  }

  /**
   * Returns how many registrations had to wait for room.
   *
   * @return 0 or more
   */
  public long blocked() {
    return blocked;
  }

  /**
   * Adds all cores up.
   *
   * @return the sums; {@link PerCore#core} is -1
   */
  public PerCore total() {
    PerCore sum = new PerCore(-1);
    for (PerCore core : cores) {
      for (Figure figure : Figure.values()) {
        sum.set(figure, sum.get(figure) + core.get(figure));
      }
    }
    return sum;
  }

  /** A table with one line per core and one for the sums. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    cell(text, "core");
    for (Figure figure : Figure.values()) {
      cell(text.append(' '), figure.title);
    }
    text.append('\n');
    for (PerCore core : cores) {
      line(text, Integer.toString(core.core()), core);
    }
    line(text, "all", total());
    if (refused + dropped + blocked > 0) {
      text.append("refused ").append(refused);
      text.append(", dropped ").append(dropped);
      text.append(", blocked ").append(blocked).append('\n');
    }
    return text.toString();
  }

  private static void line(StringBuilder text, String name, PerCore core) {
    cell(text, name);
    for (Figure figure : Figure.values()) {
      cell(text.append(' '), core.get(figure) / figure.unit + figure.unitName);
    }
    text.append('\n');
  }

  private static void cell(StringBuilder text, String content) {
    text.append(String.format(Locale.ROOT, "%11s", content));
  }

  /** What is counted, in the order of the table's columns. */
  enum Figure {
    EVENTS("events"),
    ERRORS("errors"),
    BATCHES("batches"),
    STEALS_TRIED("tried"),
    COLORS_STOLEN("stolen"),
    STOLEN_NANOS("stolen time", 1_000, " us"),
    STEAL_NANOS("steal time", 1_000, " us"),
    TAKEOVERS("takeovers"),
    POLLS("polls"),
    PARKS("parks"),
    WAKEUPS("wakeups"),
    COLORS_WAITING("waiting"),
    PASSED_OVER("passed over"),
    REGARDLESS("regardless"),
    PARKED_NANOS("parked time", 1_000_000, " ms"),
    BLOCKED_HANDLERS("blocked");

    private final String title;

    /** The table shows the value divided by this. */
    private final long unit;

    private final String unitName;

    Figure(String title) {
      this(title, 1, "");
    }

    Figure(String title, long unit, String unitName) {
      this.title = title;
      this.unit = unit;
      this.unitName = unitName;
    }
  }

  /** One core. Immutable. */
  public static final class PerCore {
    private final int core;
    private final Map<Figure, Long> values = new EnumMap<>(Figure.class);

    PerCore(int core) {
      this.core = core;
    }

    /** Before it is handed out. */
    void set(Figure figure, long value) {
      values.put(figure, value);
    }

    long get(Figure figure) {
      return values.getOrDefault(figure, 0L);
    }

    /**
     * Reads what a core counts.
     *
     * @param now on the host's clock
     * @param blockedHandlers how many have been reported
     */
    static PerCore of(Core core, long now, long blockedHandlers) {
      Counters c = core.counters;
      PerCore made = new PerCore(core.index);
      made.set(Figure.EVENTS, c.events);
      made.set(Figure.ERRORS, c.errors);
      made.set(Figure.BATCHES, c.batches);
      made.set(Figure.STEALS_TRIED, c.stealsTried);
      made.set(Figure.COLORS_STOLEN, c.stealsWon);
      made.set(Figure.STOLEN_NANOS, c.stolenNanos);
      made.set(Figure.STEAL_NANOS, c.stealNanos);
      made.set(Figure.TAKEOVERS, c.takeovers);
      made.set(Figure.POLLS, c.polls);
      made.set(Figure.PARKS, c.parks);
      made.set(Figure.WAKEUPS, c.wakeups);
      made.set(Figure.COLORS_WAITING, core.queue.size());
      made.set(Figure.PASSED_OVER, c.passedOver);
      made.set(Figure.REGARDLESS, c.regardless);
      made.set(Figure.PARKED_NANOS, c.parkedNanos(now));
      made.set(Figure.BLOCKED_HANDLERS, blockedHandlers);
      return made;
    }

    /**
     * Returns which core this is.
     *
     * @return its number, from 0; of a sum -1
     */
    public int core() {
      return core;
    }

    /**
     * Returns how many events were run.
     *
     * @return 0 or more
     */
    public long events() {
      return get(Figure.EVENTS);
    }

    /**
     * Returns how many events had a handler that threw.
     *
     * @return 0 or more
     */
    public long errors() {
      return get(Figure.ERRORS);
    }

    /**
     * Returns how many times a color was run, up to the batch threshold.
     *
     * @return 0 or more
     */
    public long batches() {
      return get(Figure.BATCHES);
    }

    /**
     * Returns how many times the core searched for a color to steal.
     *
     * @return 0 or more
     */
    public long stealsTried() {
      return get(Figure.STEALS_TRIED);
    }

    /**
     * Returns how many of the searches won a color.
     *
     * @return 0 or more
     */
    public long colorsStolen() {
      return get(Figure.COLORS_STOLEN);
    }

    /**
     * Returns the time spent in the first batch of stolen colors.
     *
     * @return nanoseconds
     */
    public long stolenNanos() {
      return get(Figure.STOLEN_NANOS);
    }

    /**
     * Returns the time spent in searches that won.
     *
     * @return nanoseconds
     */
    public long stealNanos() {
      return get(Figure.STEAL_NANOS);
    }

    /**
     * Returns how many colors were taken from a core that was stuck in a handler.
     *
     * @return 0 or more
     */
    public long takeovers() {
      return get(Figure.TAKEOVERS);
    }

    /**
     * Returns how many times the core looked for external events.
     *
     * @return 0 or more
     */
    public long polls() {
      return get(Figure.POLLS);
    }

    /**
     * Returns how many times the worker went to wait.
     *
     * @return 0 or more
     */
    public long parks() {
      return get(Figure.PARKS);
    }

    /**
     * Returns how many times the worker was called to steal.
     *
     * @return 0 or more
     */
    public long wakeups() {
      return get(Figure.WAKEUPS);
    }

    /**
     * Returns how many colors are in the core-queue now.
     *
     * @return 0 or more; may count some that have been stolen
     */
    public long colorsWaiting() {
      return get(Figure.COLORS_WAITING);
    }

    /**
     * Returns how many times a color was passed over, since the core's pool lacked what its next
     * event allocates: see {@link MelyBuilder#plan}.
     *
     * @return 0 or more
     */
    public long passedOver() {
      return get(Figure.PASSED_OVER);
    }

    /**
     * Returns how many of these ran regardless of the pool in the end, since they had waited too
     * long.
     *
     * @return 0 or more
     */
    public long ranRegardless() {
      return get(Figure.REGARDLESS);
    }

    /**
     * Returns the time that the worker has waited, up to now; the rest it was busy: running,
     * searching or polling.
     *
     * @return nanoseconds
     */
    public long parkedNanos() {
      return get(Figure.PARKED_NANOS);
    }

    /**
     * Returns how many handlers were {@linkplain ErrorHandler#onBlocked reported}.
     *
     * @return 0 or more
     */
    public long blockedHandlers() {
      return get(Figure.BLOCKED_HANDLERS);
    }

    /** All figures by name. */
    @Override
    public String toString() {
      return "core " + core + " " + values;
    }
  }
}
