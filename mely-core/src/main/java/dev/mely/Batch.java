package dev.mely;

import org.jspecify.annotations.Nullable;

/**
 * The batch that a core runs: which color, how far it is, and by how much the color's number and
 * weight of pending events have changed. When the batch is over one atomic add brings the color up
 * to date; most of the changes have canceled out by then.
 *
 * <p>Owned by the core's worker. Others read {@link #color} and {@link #handler} alone, for dumps
 * and reports; what they read may be out of date.
 *
 * <p>Source: Mely, section IV-A (the batch threshold), III-B (time-left).
 */
final class Batch extends PadBefore {
  /** Upper bound of the weight of a stream, in nanoseconds. */
  private static final long STREAM_NANOS = 1_000_000;

  private final StealPolicy policy;

  /** {@link StealPolicy#stealing}, cached. */
  private final boolean stealing;

  private final int maxEvents;
  private final long maxNanos;

  /** How many events may be taken: {@link #maxEvents}; 0: the batch is over. */
  private int limit;

  /** What follows the batch; null: nothing but the next one. */
  private @Nullable PermissionEvent after;

  /** Has a place for the color that the worker holds. */
  private final OwnLane held;

  /**
   * The handler that runs, or was the last to. Exact for a core that has been stuck for a while.
   */
  @Nullable Handler<?> handler;

  /** 1 if the color was stolen for this batch; else 0. */
  private int stolen;

  /** Events that have been taken from the color. */
  private int taken;

  /**
   * How many of them are in the sums below. The others were all for {@link #handler}: their weight
   * and time are multiplied by their number (accounting by run length).
   */
  private int accounted;

  /** Their time in nanoseconds, measured or estimated. */
  private long elapsed;

  /** What a stolen batch is expected to take, in nanoseconds. */
  private long expected;

  /** Change in the number of pending events; negative if fewer are pending now. */
  private int gainedEvents;

  private long gainedWeight;

  /** What an event of the first one's handler weighs. */
  private long firstWeight;

  /** Weight of the event that activated the color; 0: it was none of those that were taken. */
  private long carried;

  /** Events of measured handlers that have been taken, and what they weigh today. */
  private int measured;

  private long weighed;

  Batch(Settings settings, OwnLane held) {
    this.held = held;
    policy = settings.policy;
    stealing = policy.steals();
    maxEvents = settings.batch;
    maxNanos = settings.batchNanos;
  }

  /** Begins a batch of a color that the worker has claimed. */
  void beginBatch(Color claimed) {
    held.hold(claimed);
    limit = maxEvents;
    taken = 0;
    accounted = 0;
    elapsed = 0;
    expected = 0;
    gainedEvents = 0;
    gainedWeight = 0;
    carried = 0;
    measured = 0;
    weighed = 0;
  }

  /** Begins the first batch of a color that was stolen. */
  void beginStolenBatch(Color claimed) {
    stolen = 1;
    beginBatch(claimed);
  }

  /** Whether no event has been taken. */
  boolean isEmpty() {
    return taken == 0;
  }

  /** The color that the worker holds, or null. */
  @Nullable Color color() {
    return held.running();
  }

  /** The worker holds no color any more. */
  void letGo() {
    held.letGo();
  }

  /** The color that runs. */
  Color running() {
    Color running = color();
    if (running == null) {
      throw new AssertionError("no color is running");
    }
    return running;
  }

  // ---- Event by event

  /** An event was appended to the running color by its own handler. */
  void appended(long weight) {
    gainedEvents++;
    gainedWeight += weight;
  }

  /** An event has been taken from the color, for this handler. */
  void take(Color running, Handler<?> by) {
    if (handler != by) {
      account();
      handler = by; // not each time: a store of a reference costs a barrier
    }
    if (taken++ == 0) {
      carried = running.clearFirst(); // now: a handler that asks its color is told what still waits
    }
  }

  /** The event that was taken last has been timed. */
  void timed(long nanos) {
    long usual = account();
    elapsed += nanos - usual;
  }

  /** An event has been run by this handler: whether another one may follow. */
  boolean mayGoOn(Handler<?> by) {
    return taken < limit && elapsed + (taken - accounted) * by.costNanos() < maxNanos;
  }

  /**
   * Accounts for all events that have been taken.
   *
   * @return what the last one usually takes, in nanoseconds
   */
  private long account() {
    Handler<?> by = handler;
    int n = taken - accounted;
    if (by == null || n == 0) {
      return 0;
    }
    long cost = by.costNanos();
    elapsed += n * cost;
    if (stealing) {
      weighOut(by, n, cost);
    }
    accounted = taken;
    return cost;
  }

  private void weighOut(Handler<?> by, int n, long cost) {
    long weight = policy.weigh(by);
    gainedWeight -= n * weight;
    if (accounted == 0) {
      firstWeight = weight;
    }
    if (by.isMeasured()) {
      measured += n;
      weighed += n * weight;
    }
    if (stolen != 0) {
      expected += n * cost;
    }
  }

  /** The batch ends with the event that was taken last, and this follows. */
  void endWith(PermissionEvent next) {
    limit = 0;
    after = next;
  }

  /** What {@link #endWith} has said; null: nothing. */
  @Nullable PermissionEvent after() {
    return after;
  }

  // ---- The end

  /** What follows the batch, once; null: nothing. */
  @Nullable PermissionEvent takeAfter() {
    PermissionEvent next = after;
    if (next != null) {
      after = null;
    }
    return next;
  }

  /** The batch is over: accounts for what is left. */
  void endBatch() {
    account();
  }

  /**
   * Whether the batch was the event that had woken the color up, and nothing else: then there is
   * nothing to account for but its time.
   */
  boolean isLone() {
    // One branch: each of six could deoptimize the loop when it is first taken. The limit is not
    // the maximum if something follows.
    return ((taken - 1)
            | gainedEvents
            | stolen
            | accounted
            | (limit - maxEvents)
            | nothing(carried))
        == 0;
  }

  /** 1 for 0, else 0: without a branch. */
  private static int nothing(long weight) {
    return Long.numberOfLeadingZeros(weight) >> 6;
  }

  /** The end of a batch that {@link #isLone}. Whether that took as long as a batch may. */
  boolean tookLongAlone() {
    Handler<?> by = handler;
    return by != null && by.costNanos() >= maxNanos;
  }

  /** Whether the color had as much time as a batch may take. */
  boolean tookLong() {
    return elapsed >= maxNanos;
  }

  /** Whether the color was stolen for this batch. Forgets it. */
  boolean takeStolen() {
    if (stolen == 0) {
      return false;
    }
    stolen = 0;
    return true;
  }

  /** What the events of a stolen batch usually take; 0: unknown. */
  long expectedNanos() {
    return expected;
  }

  /**
   * Finds out by how much the color's number and weight of pending events have changed.
   *
   * @param done the color, still claimed
   */
  void weigh(Color done) {
    gainedEvents -= taken;
    if (carried != 0) { // the first is not among those that are counted
      gainedEvents++;
      gainedWeight += firstWeight;
    }
    long left = measured > 0 ? (long) done.pendingCount() + gainedEvents : 0;
    if (left > 0) {
      // What a measured handler costs may have changed between an event's registration and now.
      // The number of events is exact; let the weight follow what such events weigh today.
      long mean = weighed / measured;
      gainedWeight += (left * mean - (done.weight() + gainedWeight)) / 4;
    }
  }

  /** Whether the color fills its batches and registers as many events as it runs. */
  boolean isStream() {
    int more = gainedEvents - (1 - nothing(carried));
    // No difference is negative. One branch, as above.
    return (more | Math.max(taken - maxEvents, elapsed - maxNanos)) >= 0;
  }

  /**
   * Weighs a stream: the color fills its batches and registers its own successors. It never has
   * much pending, but will most likely go on for as long as it has so far. That time counts as
   * pending work if other colors wait here while a core is idle. It is kept as the weight of the
   * oldest event, so it is gone when that is taken, and is estimated anew after the next batch.
   */
  void weighStream(Color done) {
    Handler<?> next = done.nextHandler();
    if (next != null && done.pendingCount() + gainedEvents > 0) {
      long weight = policy.weigh(next);
      gainedEvents--;
      gainedWeight -= weight;
      done.setFirstWeight(Math.min(carried + taken * weight, STREAM_NANOS));
    }
  }

  /** Brings the color's number and weight of pending events up to date, with one atomic add. */
  void settle(Color done) {
    if (gainedEvents != 0 || gainedWeight != 0) {
      done.addPending(gainedEvents, gainedWeight);
    }
  }
}
