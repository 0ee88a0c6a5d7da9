package dev.mely;

import org.jspecify.annotations.Nullable;

/**
 * What the scheduler knows of a handler's work: its cost and its penalty, declared or measured
 * (Mely, sections III-C and VII, future work).
 *
 * <p>Any thread. The measured figures are racy on purpose: a lost update costs one sample.
 */
abstract class HandlerCost {
  /** Above this cost, two reads of the clock are noise, so that every run is timed. */
  private static final long ALWAYS_TIMED_NANOS = 20_000;

  /**
   * A run that takes longer than this and than {@link #OUTLIER_TIMES} times the usual has probably
   * lost its CPU to another thread: it counts as that many times the usual.
   */
  private static final long OUTLIER_NANOS = 100_000;

  private static final int OUTLIER_TIMES = 8;

  /** How many runs of a new handler are timed, to learn its cost soon. */
  private static final int FIRST_SAMPLES = 16;

  private static final int ALL = 1 << 20;

  /** Penalties that are measured stay below this. */
  private static final int MAX_PENALTY = 1_000;

  private final long declaredCost;
  private final int declaredPenalty;
  private final boolean background;

  private long measured;

  /** Up to {@link #FIRST_SAMPLES}. */
  private byte samples;

  /**
   * What a steal of this handler's colors costs more than others, in nanoseconds: a moving average.
   */
  private long excess;

  /** What a steal costs on average, when last seen, in nanoseconds. */
  private int usualPrice = 1;

  private int penalty;

  /** How many of recent runs were long, of {@link #ALL}; a moving average with weight 1/64. */
  private int longShare;

  /** Cost in nanoseconds as the heuristics see it; declared, else measured. */
  private long cost;

  /** {@link #cost} divided by {@link #penalty}. */
  private long discounted;

  /**
   * @param work what is declared; null: what the annotations of the class say, which only an
   *     instance can name
   */
  HandlerCost(@Nullable Work work) {
    Work known = work == null ? Work.of(getClass()) : work;
    declaredCost = known.costNanos();
    declaredPenalty = known.penalty();
    background = known.background();
    penalty = Math.max(1, declaredPenalty);
    if (declaredCost == 0 && known.estimateNanos() != 0) {
      measured = known.estimateNanos();
      samples = 1;
    }
    publish(declaredCost != 0 ? declaredCost : known.estimateNanos());
  }

  /** Begins with the figures of another. */
  HandlerCost(HandlerCost like) {
    declaredCost = like.declaredCost;
    declaredPenalty = like.declaredPenalty;
    background = like.background;
    measured = like.measured;
    samples = like.samples;
    excess = like.excess;
    usualPrice = like.usualPrice;
    penalty = like.penalty;
    publish(like.cost);
  }

  /** Cost of one event, in nanoseconds; 0: unknown. */
  final long cost() {
    return cost;
  }

  /** The penalty: what a thief divides the cost by. */
  final int divisor() {
    return penalty;
  }

  /**
   * Whether one of 16 recent runs or more was long. Tasks of an executor are of many kinds, and the
   * short ones come in bursts: their average says little.
   */
  final boolean isOftenLong() {
    return longShare >= ALL / 16;
  }

  /** See {@link Handler.OfAction#background}. */
  final boolean isBackground() {
    return background;
  }

  /** Cost divided by penalty, in nanoseconds. */
  final long discountedCostNanos() {
    return discounted;
  }

  /** Whether this run should be timed even if no sample is due. */
  final boolean wantsTiming() {
    return measured >= ALWAYS_TIMED_NANOS || samples < FIRST_SAMPLES;
  }

  /** Takes the duration of one run into the moving average. Any worker; races are benign. */
  final void observe(long nanos) {
    int seen = samples;
    long old = measured;
    // The plain mean of the first few runs, then 1/16 weight: a first run in the interpreter is
    // forgotten soon, and one outlier does not flip a worthy color.
    long divisor = seen < FIRST_SAMPLES ? seen + 1 : FIRST_SAMPLES;
    long bound = seen == 0 ? nanos : Math.max(OUTLIER_NANOS, OUTLIER_TIMES * old);
    long now = old + (Math.min(nanos, bound) - old) / divisor;
    longShare += ((nanos >= TurnOrder.LONG ? ALL : 0) - longShare) / 64;
    if (seen < FIRST_SAMPLES) {
      samples = (byte) (seen + 1);
    }
    measured = now;
    if (excess > 0) {
      decay();
    }
    // Every producer reads the published cost: move it only if it is off by more than an eighth.
    if (declaredCost == 0 && Math.abs(now - cost) > cost >> 3) {
      publish(now);
    }
  }

  /**
   * Takes the price of one steal of this handler's colors into the measured penalty: penalty p
   * makes a color worthy if its work exceeds p times the usual price, so p is how many times the
   * usual price these steals cost (Mely, section VII, future work). Any thief; races are benign.
   *
   * @param nanos the search, and how much longer the stolen events took than they usually do
   * @param usual what a steal costs on average, in nanoseconds
   */
  final void observeDrag(long nanos, long usual) {
    if (declaredPenalty != 0) {
      return;
    }
    // A step is bounded by what is known already, so that one preempted thief proves nothing.
    long step = Math.abs(excess) + usual;
    long off = nanos - usual - excess;
    excess += Math.max(-step, Math.min(step, off)) / 4;
    // Up to two seconds: handlers are made for each connection, and shall be small.
    usualPrice = (int) Math.min(Math.max(1, usual), Integer.MAX_VALUE);
    settlePenalty();
  }

  /** A penalty keeps thieves away, and would for ever: it decays while no steal renews it. */
  private void decay() {
    excess -= (excess >> 6) + 1;
    settlePenalty();
  }

  /** Moves the penalty with hysteresis: only if it is off by three quarters and by an eighth. */
  private void settlePenalty() {
    long eighths = 8 + 8 * Math.max(0, excess) / usualPrice;
    if (Math.abs(eighths - 8L * penalty) > Math.max(6, penalty)) {
      penalty = (int) Math.min((eighths + 4) / 8, MAX_PENALTY);
      publish(cost);
    }
  }

  /** Whether the cost is measured, so that it may change while events are pending. */
  final boolean isMeasured() {
    return declaredCost == 0;
  }

  private void publish(long nanos) {
    cost = nanos;
    discounted = nanos == 0 ? 0 : Math.max(1, nanos / penalty);
  }
}
