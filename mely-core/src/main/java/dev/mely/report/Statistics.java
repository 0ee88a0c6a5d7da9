package dev.mely.report;

import java.util.List;

/**
 * What the cores of a runtime have done so far, as {@link dev.mely.Inspection#statistics} reads it.
 * A snapshot: each figure is recent, but they are not read at one instant. Immutable; {@code
 * toString} gives a table with one line for each core and one for the sums, in parts of at most 120
 * columns.
 */
public interface Statistics {
  /**
   * Returns what each core has done.
   *
   * @return one entry for each core, by number; cannot be changed
   */
  List<PerCore> cores();

  /**
   * Returns how many registrations found no room: see {@link dev.mely.MelyBuilder#maxPending}.
   *
   * @return 0 or more
   */
  long refused();

  /**
   * Returns how many events were dropped to make room for younger ones.
   *
   * @return 0 or more
   */
  long dropped();

  /**
   * Returns how many registrations had to wait for room.
   *
   * @return 0 or more
   */
  long blocked();

  /**
   * Adds all cores up.
   *
   * @return the sums; {@link PerCore#core} is -1
   */
  PerCore total();

  /** What is counted at each core, in the order of the table's columns. */
  enum Figure {
    /** See {@link PerCore#events}. */
    EVENTS("events"),

    /** See {@link PerCore#errors}. */
    ERRORS("errors"),

    /** See {@link PerCore#batches}. */
    BATCHES("batches"),

    /** See {@link PerCore#stealsTried}. */
    STEALS_TRIED("tried"),

    /** See {@link PerCore#colorsStolen}. */
    COLORS_STOLEN("stolen"),

    /** See {@link PerCore#stolenNanos}. */
    STOLEN_NANOS("stolen time", 1_000, " us"),

    /** See {@link PerCore#stealNanos}. */
    STEAL_NANOS("steal time", 1_000, " us"),

    /** See {@link PerCore#takeovers}. */
    TAKEOVERS("takeovers"),

    /** See {@link PerCore#polls}. */
    POLLS("polls"),

    /** See {@link PerCore#parks}. */
    PARKS("parks"),

    /** See {@link PerCore#wakeups}. */
    WAKEUPS("wakeups"),

    /** See {@link PerCore#colorsWaiting}. */
    COLORS_WAITING("waiting"),

    /** See {@link PerCore#passedOver}. */
    PASSED_OVER("passed over"),

    /** See {@link PerCore#ranRegardless}. */
    REGARDLESS("regardless"),

    /** See {@link PerCore#parkedNanos}. */
    PARKED_NANOS("parked time", 1_000_000, " ms"),

    /** See {@link PerCore#blockedHandlers}. */
    BLOCKED_HANDLERS("blocked");

    private final String title;
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

    /**
     * Returns the head of the figure's column.
     *
     * @return a word or two
     */
    public String title() {
      return title;
    }

    /**
     * Shows a value as the table does.
     *
     * @param value as it was counted
     * @return in the unit of the column, with its name
     */
    public String format(long value) {
      return value / unit + unitName;
    }
  }

  /** One core, or the sum of all. Immutable. */
  interface PerCore {
    /**
     * Returns which core this is.
     *
     * @return its number, from 0; of a sum -1
     */
    int core();

    /**
     * Returns one figure.
     *
     * @param figure which
     * @return 0 or more, as it was counted: times in nanoseconds
     */
    long get(Figure figure);

    /**
     * Returns how many events were run.
     *
     * @return 0 or more
     */
    default long events() {
      return get(Figure.EVENTS);
    }

    /**
     * Returns how many events had a handler that threw.
     *
     * @return 0 or more
     */
    default long errors() {
      return get(Figure.ERRORS);
    }

    /**
     * Returns how many times a color was run, up to the batch threshold.
     *
     * @return 0 or more
     */
    default long batches() {
      return get(Figure.BATCHES);
    }

    /**
     * Returns how many times the core searched for a color to steal.
     *
     * @return 0 or more
     */
    default long stealsTried() {
      return get(Figure.STEALS_TRIED);
    }

    /**
     * Returns how many of the searches won a color.
     *
     * @return 0 or more
     */
    default long colorsStolen() {
      return get(Figure.COLORS_STOLEN);
    }

    /**
     * Returns how many of the stolen colors came from one victim.
     *
     * @param victim number of the core from which they were stolen
     * @return 0 or more; of a sum: what all cores have stolen from that one
     * @throws IllegalArgumentException if there is no such core
     */
    long stolenFrom(int victim);

    /**
     * Returns the time spent in the first batch of stolen colors.
     *
     * @return nanoseconds
     */
    default long stolenNanos() {
      return get(Figure.STOLEN_NANOS);
    }

    /**
     * Returns the time spent in searches that won.
     *
     * @return nanoseconds
     */
    default long stealNanos() {
      return get(Figure.STEAL_NANOS);
    }

    /**
     * Returns how many colors were taken from a core that was stuck in a handler.
     *
     * @return 0 or more
     */
    default long takeovers() {
      return get(Figure.TAKEOVERS);
    }

    /**
     * Returns how many times the core looked for external events.
     *
     * @return 0 or more
     */
    default long polls() {
      return get(Figure.POLLS);
    }

    /**
     * Returns how many times the worker went to wait.
     *
     * @return 0 or more
     */
    default long parks() {
      return get(Figure.PARKS);
    }

    /**
     * Returns how many times the worker was called to steal.
     *
     * @return 0 or more
     */
    default long wakeups() {
      return get(Figure.WAKEUPS);
    }

    /**
     * Returns how many colors are in the core-queue now.
     *
     * @return 0 or more; may count some that have been stolen
     */
    default long colorsWaiting() {
      return get(Figure.COLORS_WAITING);
    }

    /**
     * Returns how many times a color was passed over, since the core's pool lacked what its next
     * event allocates: see {@link dev.mely.MelyBuilder#plan}.
     *
     * @return 0 or more
     */
    default long passedOver() {
      return get(Figure.PASSED_OVER);
    }

    /**
     * Returns how many of these ran regardless of the pool in the end, since they had waited too
     * long.
     *
     * @return 0 or more
     */
    default long ranRegardless() {
      return get(Figure.REGARDLESS);
    }

    /**
     * Returns the time that the worker has waited, up to now; the rest it was busy: running,
     * searching or polling.
     *
     * @return nanoseconds
     */
    default long parkedNanos() {
      return get(Figure.PARKED_NANOS);
    }

    /**
     * Returns how many handlers were {@linkplain dev.mely.ErrorHandler#onBlocked reported}.
     *
     * @return 0 or more
     */
    default long blockedHandlers() {
      return get(Figure.BLOCKED_HANDLERS);
    }
  }
}
