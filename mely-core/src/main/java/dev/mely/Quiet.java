package dev.mely;

/**
 * Detects whether a runtime is quiescent: no worker runs an event and none waits. If new events are
 * refused, it stays so.
 *
 * <p>Uses a double collect: every core is read twice, and must be parked beside an empty queue both
 * times, without having begun a color or woken up in between. An event that moves from core to core
 * ahead of a single pass changes these counts.
 *
 * <p>Not thread-safe.
 */
final class Quiet {
  private final Scheduler scheduler;

  /** The counts that the first collect has read. */
  private final int[] counts;

  /** The next core to read, counted through both collects. */
  private int at;

  Quiet(Scheduler scheduler) {
    this.scheduler = scheduler;
    this.counts = new int[scheduler.cores()];
  }

  /** Reads all cores. */
  boolean isQuiet() {
    at = 0;
    do {
      if (look()) {
        return true;
      }
    } while (isUnderWay());
    return false;
  }

  /** Whether at least one core has been found at rest, but not yet all, twice. */
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
