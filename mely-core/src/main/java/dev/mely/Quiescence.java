package dev.mely;

/**
 * Whether a runtime is quiescent: no worker runs anything, and nothing waits. Meant for a runtime
 * that refuses new events: then it stays quiescent.
 *
 * <p>A double collect: every core is looked at twice, and must have been parked with an empty queue
 * both times, without having begun a color or woken up in between. So an event that moves from core
 * to core ahead of a single look is noticed by the counts.
 *
 * <p>Not thread-safe.
 */
final class Quiescence {
  private final Scheduler scheduler;

  /** The counts that the first collect has read. */
  private final int[] counts;

  /** The next core to read, counted through both collects. */
  private int at;

  Quiescence(Scheduler scheduler) {
    this.scheduler = scheduler;
    this.counts = new int[scheduler.cores()];
  }

  /** Looks at all cores. Not to be called while {@link #isUnderWay}. */
  boolean isQuiescent() {
    do {
      if (look()) {
        return true;
      }
    } while (isUnderWay());
    return false;
  }

  /** Whether some cores have been found at rest, but not yet all of them twice. */
  boolean isUnderWay() {
    return at != 0;
  }

  /**
   * Reads one core, and starts from the beginning if it is not at rest.
   *
   * @return true if this was the last core of two collects that agree
   */
  boolean look() {
    int n = counts.length;
    Core core = scheduler.core(at % n);
    // The first collect reads the count before the queue, the second after it: so a color that
    // begins in between changes the count. The queue is read before the flag: an entry that has
    // left it is with a worker that is awake, or that has counted up before it parked again.
    int known = at < n ? count(core) : counts[at - n];
    boolean rests = core.hasNothing() && core.isParked();
    if (!rests || count(core) != known) {
      at = 0;
      return false;
    }
    if (at < n) {
      counts[at] = known;
    }
    at = (at + 1) % (2 * n);
    return at == 0;
  }

  /** Colors begun plus wake-ups: neither ever decreases. */
  private static int count(Core core) {
    return core.epoch.getVolatile() + core.wakes.getVolatile();
  }
}
