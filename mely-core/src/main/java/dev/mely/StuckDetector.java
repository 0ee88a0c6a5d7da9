package dev.mely;

import java.util.Arrays;

/**
 * Finds cores that are stuck in a handler. Each worker has one, and looks while it is idle, or
 * between batches. Of the workers that sleep, at most two, the watchers, wake up now and then to
 * look.
 *
 * <p>A core is stuck if it is awake and its epoch (the number of colors that it has begun) has not
 * moved between two looks that lie at least {@link Settings#stuckAfterNanos} apart. One whose
 * thread waits, for a lock or for time to pass, is looked at again soon: a handler that does so has
 * no use for its core, whereas one that computes may be over in a moment. (A worker that was woken
 * and has no CPU yet looks the same.) Several slow events in one batch count as one handler; to the
 * colors behind them it makes no difference.
 *
 * <p>The core's other colors, its timers and its poller are then open to any thief, worthy or not,
 * until the epoch moves again.
 */
final class StuckDetector {
  /**
   * After this many looks at cores that begin nothing a watcher sleeps for good; the next worker
   * that wakes up calls it.
   */
  private static final int QUIET_LOOKS = 20;

  /** How long to wait between two visits to a core that is stuck, or seems to be. */
  private static final long STUCK_NANOS = 1_000_000;

  private static final int ASLEEP = -1;

  private final Cores cores;
  private final Core self;
  private final Host host;
  private final IdleCores idle;
  private final ThiefCalls calls;
  private final long interval;

  /** The epochs at the last look; {@link #seen} only of those that were awake. */
  private final int[] epochs;

  private final int[] seen;

  /** When that epoch was seen first. */
  private final long[] since;

  /** Whose threads waited at the last look. */
  private final boolean[] waiting;

  private final boolean[] stuck;
  private boolean anyStuck;

  /** Stuck cores whose timers and poller may be taken over (again). */
  private final boolean[] due;

  /** Whether this worker is one of those that wake up to look. */
  private boolean watching;

  /** Whether a core that is awake waited at the last look. */
  private boolean suspects;

  private long lastLook;
  private int quiet;

  StuckDetector(StealContext context, Core self) {
    this.cores = context.cores();
    this.self = self;
    this.host = context.host();
    this.idle = context.idle();
    this.calls = context.calls();
    this.interval = context.settings().stuckAfterNanos;
    this.epochs = new int[cores.count()];
    this.seen = new int[cores.count()];
    this.since = new long[cores.count()];
    this.waiting = new boolean[cores.count()];
    this.stuck = new boolean[cores.count()];
    this.due = new boolean[cores.count()];
    Arrays.fill(seen, ASLEEP);
  }

  /**
   * How long the worker may sleep before it must look again; {@link Long#MAX_VALUE}: for good. To
   * be asked after the worker has published that it is parked: a core that wakes up later finds no
   * watcher, and calls one.
   */
  long patience() {
    if (anyStuck || suspects) {
      return Math.min(STUCK_NANOS, interval);
    }
    return quiet < QUIET_LOOKS || isAnyAwake() ? interval : Long.MAX_VALUE;
  }

  private boolean isAnyAwake() {
    for (Core core : cores.neighbors(self)) {
      if (!core.isParked()) {
        return true;
      }
    }
    return false;
  }

  /** Looks at the other cores, if the last look is long enough ago. */
  void look(long now) {
    Arrays.fill(due, true);
    long full = early(interval);
    if (now - lastLook < (suspects ? early(Math.min(STUCK_NANOS, interval)) : full)) {
      return;
    }
    lastLook = now;
    boolean busy = false;
    anyStuck = false;
    suspects = false;
    for (Core core : cores.neighbors(self)) {
      int v = core.index;
      int epoch = core.epoch.getOpaque();
      boolean awake = !core.isParked();
      boolean waits = awake && host.isWaiting(v);
      boolean same = awake && epoch == seen[v];
      if (!same) {
        since[v] = now;
      }
      stuck[v] = same && (now - since[v] >= full || (waits && waiting[v]));
      waiting[v] = waits;
      anyStuck |= stuck[v];
      suspects |= waits && !stuck[v];
      // A core that is awake but begins nothing is another watcher, looking around.
      busy |= stuck[v] || epoch != epochs[v];
      epochs[v] = epoch;
      seen[v] = awake ? epoch : ASLEEP;
    }
    quiet = busy ? 0 : Math.min(quiet + 1, QUIET_LOOKS);
  }

  /** A sixteenth less, since a sleep may end early. */
  private static long early(long nanos) {
    return nanos - (nanos >> 4);
  }

  /** Whether any core was stuck at the last look. */
  boolean isAnyStuck() {
    return anyStuck;
  }

  /**
   * Whether the core has been in one handler for {@link Settings#stuckAfterNanos}, and still is.
   */
  boolean isStuck(Core core) {
    return anyStuck && stuck[core.index] && core.epoch.getOpaque() == seen[core.index];
  }

  /** Whether a stuck core's timers and poller are to be taken over now: once between two looks. */
  boolean isDue(Core core) {
    boolean now = due[core.index];
    due[core.index] = false;
    return now;
  }

  // ---- Asleep

  /** How long this worker may sleep: not for good if it is a watcher, or becomes one. */
  long sleepNanos() {
    long patience = patience();
    if (watching && patience == Long.MAX_VALUE) {
      // Dekker pattern: stop watching, then look again. A core that wakes up now either is seen
      // here, or sees no watcher and calls one.
      watching = false;
      idle.stopWatching();
      patience = patience();
    }
    if (!watching && patience != Long.MAX_VALUE) {
      watching = idle.startWatching();
    }
    return watching ? patience : Long.MAX_VALUE;
  }

  /** The worker is awake: without a watcher nothing would notice if its core got stuck now. */
  void callWatcher() {
    calls.unwatched(self);
  }

  /** The worker goes to work: another one must watch. */
  void stopWatching() {
    if (watching) {
      watching = false;
      idle.stopWatching();
      calls.unwatched(self);
    }
  }
}
