package dev.mely;

/**
 * Tells which other cores are stuck in a handler. Each idle worker has one; no thread of its own.
 *
 * <p>A core is stuck if it is awake and its epoch (the number of colors that it has begun) has not
 * moved between two looks that lie at least the watch time apart. Its other colors, its timers and
 * its poller are then open to any thief, worthy or not, until the epoch moves again.
 */
final class Watch {
  /**
   * So many looks at cores that begin nothing end the watch; the next worker to wake up renews it.
   */
  private static final int QUIET_LOOKS = 20;

  /** How long to wait between two visits to a stuck core. */
  private static final long STUCK_NANOS = 1_000_000;

  private static final int ASLEEP = -1;

  private final Scheduler scheduler;
  private final Core self;
  private final long interval;

  /** The epochs at the last look; {@link #seen} only of those that were awake. */
  private final int[] epochs;

  private final int[] seen;
  private final boolean[] stuck;
  private boolean anyStuck;
  private long lastLook;
  private int quiet;

  Watch(Scheduler scheduler, Core self) {
    this.scheduler = scheduler;
    this.self = self;
    this.interval = scheduler.settings.watchNanos();
    this.epochs = new int[scheduler.cores()];
    this.seen = new int[scheduler.cores()];
    this.stuck = new boolean[scheduler.cores()];
    java.util.Arrays.fill(seen, ASLEEP);
  }

  /**
   * How long the worker may sleep before it must look again; {@link Long#MAX_VALUE}: for good. To
   * be asked after the worker has published that it is parked: a core that wakes up later finds it
   * parked and unwatched, and calls it.
   */
  long patience() {
    if (anyStuck) {
      return Math.min(STUCK_NANOS, interval);
    }
    return quiet < QUIET_LOOKS || isAnyAwake() ? interval : Long.MAX_VALUE;
  }

  private boolean isAnyAwake() {
    for (Core core : scheduler.neighbors(self)) {
      if (!core.isParked()) {
        return true;
      }
    }
    return false;
  }

  /** Looks at the other cores, if the last look is long enough ago. */
  void look(long now) {
    if (now - lastLook < interval - (interval >> 4)) { // a sleep may end a little early
      return;
    }
    lastLook = now;
    boolean busy = false;
    anyStuck = false;
    for (Core core : scheduler.neighbors(self)) {
      int v = core.index;
      int epoch = core.epoch.getOpaque();
      boolean awake = !core.isParked();
      stuck[v] = awake && epoch == seen[v];
      anyStuck |= stuck[v];
      // A core that is awake but begins nothing is another watcher, looking around.
      busy |= stuck[v] || epoch != epochs[v];
      epochs[v] = epoch;
      seen[v] = awake ? epoch : ASLEEP;
    }
    quiet = busy ? 0 : Math.min(quiet + 1, QUIET_LOOKS);
  }

  /** Whether any core was stuck at the last look. */
  boolean isAnyStuck() {
    return anyStuck;
  }

  /** Whether the core has been in one handler for the watch time, and still is. */
  boolean isStuck(Core core) {
    return anyStuck && stuck[core.index] && core.epoch.getOpaque() == seen[core.index];
  }
}
