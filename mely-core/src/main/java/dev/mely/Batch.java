package dev.mely;

import org.jspecify.annotations.Nullable;

/**
 * The batch that a core runs: which color, how far it is, and by how much the color's number and
 * weight of pending events have changed. The color learns that with one atomic add when the batch
 * is over, since most of it is undone within the batch.
 *
 * <p>Owned by the core's worker. Others read {@link #color} and {@link #handler} alone, to tell
 * people what a core does; they may be out of date.
 *
 * <p>Source: Mely, section IV-A (the batch threshold), III-B (time-left).
 */
final class Batch extends PadBefore {
  /** A stream of events is taken to go on for so long at most. */
  private static final long STREAM_NANOS = 1_000_000;

  private final StealPolicy policy;

  /** {@link StealPolicy#stealing}, at hand. */
  private final boolean stealing;

  private final int maxEvents;
  private final long maxNanos;

  /** How many events may be taken: {@link #maxEvents}; 0: the batch is over. */
  private int limit;

  /** What follows the batch; null: nothing but the next one. */
  private @Nullable Permit after;

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
   * How many of them are accounted for below. The others were all for {@link #handler}: what they
   * weigh and take is multiplied, not added up one by one.
   */
  private int accounted;

  /** What they have taken, or usually take, in nanoseconds. */
  private long elapsed;

  /** What a stolen batch is expected to take, in nanoseconds. */
  private long expected;

  /** Events that are pending now and were not before, or the other way round. */
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
      handler = by; // not each time: the collector takes note of every store of a reference
    }
    if (taken++ == 0) {
      carried = running.clearFirst(); // now: whoever asks its handler is told what still waits
    }
  }

  /** The event that was taken last has been timed. */
  void timed(long nanos) {
    long usual = account();
    elapsed += nanos - usual;
  }

  /** An event has been run by this handler. Whether another one may follow. */
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
  void endWith(Permit next) {
    limit = 0;
    after = next;
  }

  /** What {@link #endWith} has said; null: nothing. */
  @Nullable Permit after() {
    return after;
  }

  // ---- The end

  /** What follows the batch, once; null: nothing. */
  @Nullable Permit takeAfter() {
    Permit next = after;
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
    // One branch. Of six, each that is taken for the first time would throw the loop's code away.
    // The limit is another one if something follows.
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
   * The color fills its batches and registers its own successors: a stream, which never has much
   * pending and will go on all the same, most likely for as long as it has so far. That counts as
   * waiting if it keeps others waiting here while a core has nothing to do. Kept with the oldest
   * event, so that it is gone when that is taken, and is weighed anew after the next batch.
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
