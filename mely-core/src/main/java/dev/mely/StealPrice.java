package dev.mely;

import org.jspecify.annotations.Nullable;

/**
 * What a steal costs, and what is therefore worth one: the time-left heuristic (Mely, sections
 * III-B and IV-B (b)), and beyond the paper, how much must wait at a core for an idle one to take
 * what is not worthy.
 *
 * <pre>
 *   a color is worthy     its pending work > the cost of a steal, a moving average of what the
 *                         steals before have cost: the search, and how much longer the stolen
 *                         events took than they usually do
 *   its interval          [1, 4), [4, 16), 16 or more times that cost
 *   a backlog is long     colors that wait >= the threshold: 4 at first, halved by each steal that
 *                         has proved itself, doubled by each that has not; above 4,096 nobody looks
 * </pre>
 *
 * <p>Why a backlog: time-left compares what a color holds with what the steal costs, penalty and
 * cache misses included. But a core that has nothing else to do pays with time that it does not
 * need. What it takes is done sooner if its turn at its own core would have come later still, and
 * how late that is shows in the number of colors that wait there.
 *
 * <p>Both decay by a sixteenth per {@link Settings#stuckAfterNanos}, the cost only while nobody
 * steals, down to what is assumed at the start: a figure that is too high keeps thieves away, and
 * only a steal would correct it. The first steals of a process run code that is not compiled yet,
 * and look expensive.
 *
 * <p>One for all thieves of a runtime. Races are benign: these are estimates.
 */
final class StealPrice {
  /** Cost of a steal that is assumed before the first, in nanoseconds. */
  static final long INITIAL_NANOS = 1_000;

  /** Lower bound of the cost: what the clock cannot see is not free. */
  static final long MIN_NANOS = 500;

  /** Upper bound of the cost, so that one preempted thief does not switch stealing off. */
  static final long MAX_NANOS = 20_000;

  /** Lower bound of the threshold of a backlog: where fewer wait, their own core is there soon. */
  static final int MIN_BACKLOG = 4;

  /**
   * From this threshold on, thieves do not even look: to ask for lengths costs as a search does.
   */
  static final int MAX_BACKLOG = 1 << 12;

  /** Weight of one steal in the moving average: one in so many. */
  private static final int AVERAGE = 8;

  /**
   * What is stolen from a backlog must be done in one part in so many of the time it would wait.
   */
  private static final int PROOF = 2;

  /** One part in so many is lost per {@link Settings#stuckAfterNanos}. */
  private static final int DECAY = 16;

  private final boolean timeLeft;
  private final long decayNanos;

  /**
   * The cost as all producers see it: written only if it is off by more than an eighth, for the
   * sake of their cache lines.
   */
  private long stealNanos = INITIAL_NANOS;

  private final Estimates estimates = new Estimates();

  /** What only thieves touch, and change often. */
  private static final class Estimates extends PadBefore {
    /** The moving average of what a steal costs; may be negative. */
    private long average = INITIAL_NANOS;

    /** Whether there was a steal since the last decay. */
    private boolean stolen;

    /** Threshold of a backlog. */
    private int backlog = MIN_BACKLOG;

    /** When both decayed last. */
    private long decayed;
  }

  /**
   * @param timeLeft whether a color must be worthy; if not, every color is
   * @param decayNanos how often the figures decay
   */
  StealPrice(boolean timeLeft, long decayNanos) {
    this.timeLeft = timeLeft;
    this.decayNanos = decayNanos;
  }

  // ---- Worthy

  /** Whether this much pending work, in nanoseconds, exceeds the cost of stealing it. */
  boolean isWorthy(long timeLeftNanos) {
    return !timeLeft || timeLeftNanos > stealNanos;
  }

  /** The interval of the stealing-queue: 0, 1 or 2. */
  int interval(long timeLeftNanos) {
    long times = timeLeftNanos / stealNanos;
    return times < 4 ? 0 : times < 16 ? 1 : 2;
  }

  /** The current cost of a steal, in nanoseconds. */
  long stealNanos() {
    return stealNanos;
  }

  // ---- Backlog

  /** Whether to ask at all how many colors wait: that takes lines from cores that are busy. */
  boolean mayBeLong() {
    return estimates.backlog < MAX_BACKLOG;
  }

  /** Whether so many waiting colors are a long backlog. */
  boolean isLong(int waiting) {
    return waiting >= estimates.backlog && mayBeLong();
  }

  /** A steal from a backlog has proved nothing, or none was possible. */
  void doubleBacklog() {
    int twice = 2 * estimates.backlog;
    estimates.backlog = twice < MAX_BACKLOG ? twice : 2 * MAX_BACKLOG;
  }

  private void halveBacklog() {
    estimates.backlog = Math.max(MIN_BACKLOG, estimates.backlog / 2);
  }

  // ---- Learning

  /**
   * Learns from a steal whose first batch is over.
   *
   * @param tookNanos what the stolen events took here
   * @param usualNanos what they usually take; 0: unknown
   * @param handler whose events they were, the last of them
   * @return whether it has proved that the rest of its victim's backlog is worth another thief
   */
  boolean settle(Steal steal, long tookNanos, long usualNanos, @Nullable Handler<?> handler) {
    boolean known = usualNanos != 0;
    boolean fromBacklog = steal.mode() == Steal.Mode.BACKLOG;
    // What the events took beyond their usual time is the price of dragging their data along. Part
    // of it every color has to pay; what a handler's colors pay on top is a penalty.
    long paid = steal.searchNanos() + (known ? tookNanos - usualNanos : 0);
    // From a backlog, a steal that cost more was expected to: the worthy are not charged for it.
    if (!known || !fromBacklog || paid < estimates.average) {
      observe(paid);
    }
    if (known && handler != null) {
      handler.observeDrag(paid, stealNanos);
    }
    return fromBacklog
        && prove(steal.waiting(), steal.searchNanos() + tookNanos, known ? usualNanos : tookNanos)
        && isLong(steal.waiting() / 2);
  }

  /** Takes the cost of one steal into the average. */
  void observe(long nanos) {
    long sample = Math.min(Math.max(nanos, -MAX_NANOS), MAX_NANOS);
    long average = estimates.average + (sample - estimates.average) / AVERAGE;
    estimates.average = average;
    estimates.stolen = true;
    long cost = Math.max(average, MIN_NANOS);
    if (Math.abs(cost - stealNanos) > stealNanos >> 3) {
      stealNanos = cost;
    }
  }

  /**
   * Whether a steal from a backlog has proved itself: the events were not so short that taking them
   * costs their own core as much as running them, and they were done long before their turn there.
   * Whatever else waited is taken to hold about as much.
   */
  private boolean prove(int waiting, long tookNanos, long usualNanos) {
    boolean proved = usualNanos >= MIN_NANOS && PROOF * tookNanos <= waiting * usualNanos;
    if (proved) {
      halveBacklog();
    } else {
      doubleBacklog();
    }
    return proved;
  }

  /**
   * Lets the figures decay by the time that has passed.
   *
   * @param now on the host's clock
   */
  void decay(long now) {
    Estimates figures = estimates;
    long times = (now - figures.decayed) / decayNanos;
    if (times <= 0) {
      return;
    }
    figures.decayed = now;
    long average = figures.average;
    long published = stealNanos;
    for (long i = 0; i < times && isHigh(figures, average, published); i++) {
      figures.backlog =
          Math.max(MIN_BACKLOG, figures.backlog - (figures.backlog + DECAY - 1) / DECAY);
      if (!figures.stolen) {
        average = decayed(average);
        published = decayed(published);
      }
    }
    figures.stolen = false;
    figures.average = average;
    if (published != stealNanos) {
      stealNanos = published;
    }
  }

  private static boolean isHigh(Estimates figures, long average, long published) {
    return figures.backlog > MIN_BACKLOG
        || (!figures.stolen && Math.max(average, published) > INITIAL_NANOS);
  }

  private static long decayed(long nanos) {
    return nanos <= INITIAL_NANOS ? nanos : Math.max(INITIAL_NANOS, nanos - nanos / DECAY);
  }
}
