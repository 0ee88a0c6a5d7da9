package dev.mely;

import dev.mely.flight.Flight;
import dev.mely.jit.Boundary;
import org.jspecify.annotations.Nullable;

/**
 * What a worker does while its core-queue is empty: the states SEARCH to WAKE of {@link Worker}.
 * Searches for a color to steal, then parks, and watches over cores that are stuck.
 *
 * <p>Owned by one worker. The protocol with producers is described in {@link IdleCores}.
 */
final class Idler {
  /** How long to wait for a thief that is polling in this core's place. */
  private static final long PAUSE_NANOS = 50_000;

  /**
   * So many rounds lie between two searches in vain at most; a power of two, as those before are.
   */
  private static final int MAX_REST = 32;

  /**
   * After so many spins the CPU is offered to who waits for it: on a machine with fewer CPUs than
   * busy threads that is the producer of what is searched for. A power of two.
   */
  private static final int GIVE_WAY_SPINS = 16;

  /** So seldom a core that has work looks whether another one has far more. */
  private static final long BESIDE_NANOS = 100_000;

  /** A poller that always fails is asked about 20 times a second. */
  private static final int MAX_PAUSE_SHIFT = 10;

  private final Scheduler scheduler;
  private final Timers timers;
  private final StealPolicy policy;
  private final Core core;
  private final Host host;
  private final Counters counters;
  private final StuckCores stuckCores;
  private final Thief thief;

  /** Counts among the searching, and among the watchers. */
  private boolean searching;

  private boolean watching;

  /** Looks at stuck cores alone, or at one that has more to do, with colors of its own waiting. */
  private boolean rescuing;

  /** {@link StuckCores#isAnyStuck}, where the worker finds it sooner. */
  private boolean stuckSeen;

  /** Has said that it is parked, or is about to. */
  private boolean published;

  private int spins;
  private int rounds;
  private long lookedBeside;

  /** Batches that had been run when a core was relieved last. */
  private long relievedAt = -2;

  private @Nullable Color prey;
  private long stealNanos;
  private long stolenAt;

  Idler(Scheduler scheduler, Timers timers, Core core) {
    this.scheduler = scheduler;
    this.timers = timers;
    this.policy = scheduler.policy;
    this.core = core;
    this.host = scheduler.host;
    this.counters = core.counters;
    this.stuckCores = new StuckCores(scheduler, core);
    this.thief = new Thief(scheduler, timers, core, stuckCores);
  }

  // ---- Searching

  /** Nothing is left in the core's own queue. */
  int begin() {
    if (Boundary.FILLS) {
      Boundary.fill(
          0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
          0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
          0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    }
    if (!policy.stealing()) {
      return spin() ? WorkerState.PICK : WorkerState.PUBLISH;
    }
    if (!searching) {
      if (spins == 0 && scheduler.settings.spins == 0 && !thief.seesPrey()) {
        return WorkerState.PUBLISH;
      }
      searching = true;
      scheduler.idle.startSearching(core);
    }
    return start(false);
  }

  /** A core is stuck, and this one has colors of its own: a short look at the stuck ones. */
  int rescue() {
    return start(true);
  }

  /**
   * This core has colors of its own, but another one may have more by far: takes one from there, so
   * that what comes late here is not served long before what has been waiting there. Not before
   * colors that are soon done, and in turn with those that are not.
   *
   * @param now on the host's clock
   */
  int relieve(long now) {
    if (now - lookedBeside < BESIDE_NANOS
        || counters.batches - relievedAt < 2 // one of theirs, one of ours
        || core.stealing.large() == 0
        || core.queue.isEmpty()
        || core.queue.hasPreferred()) {
      return WorkerState.PICK;
    }
    lookedBeside = now;
    Core overloaded = thief.findOverloaded();
    if (overloaded == null) {
      return WorkerState.PICK;
    }
    rescuing = true;
    relievedAt = counters.batches;
    stealNanos = now;
    thief.relieve(overloaded);
    return WorkerState.SEARCH;
  }

  private int start(boolean stuckOnly) {
    rescuing = stuckOnly;
    stealNanos = host.nanos();
    thief.start(stuckOnly, stealNanos);
    return WorkerState.SEARCH;
  }

  /**
   * Whether the round after so many in vain is one of looks at victims: the first, the second, the
   * fourth, the eighth, and so on. A look takes a line from a core that has work, and makes it wait
   * for that line when it writes the next time; with a hundred cores that look all the time, it
   * would do little else.
   */
  static boolean looksAround(int spins) {
    int round = spins + 1;
    return (round & (Math.min(Integer.highestOneBit(round), MAX_REST) - 1)) == 0;
  }

  /** RUN: a color has been stolen, see {@link #takePrey}. */
  int search() {
    if (Boundary.FILLS) {
      Boundary.fill(
          0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
          0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
          0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    }
    if (thief.hasNext()) {
      if (!looksAround(spins)) {
        return rest();
      }
      Color stolen = thief.visit();
      if (stolen == null) {
        return WorkerState.SEARCH;
      }
      return stole(stolen);
    }
    if (rescuing || !core.queue.isEmpty()) {
      endSearch();
      return WorkerState.PICK;
    }
    if (looksAround(spins) && thief.chooseAgain()) {
      return WorkerState.SEARCH;
    }
    if (spin()) {
      thief.again(looksAround(spins));
      stealNanos = host.nanos();
      return WorkerState.SEARCH;
    }
    return WorkerState.PUBLISH;
  }

  /** The search has won. Apart from the looks, which are many for each steal. */
  private int stole(Color stolen) {
    if (Boundary.FILLS) {
      Boundary.fill(
          0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
          0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
          0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    }
    prey = stolen;
    stolenAt = host.nanos();
    stealNanos = stolenAt - stealNanos;
    if (Flight.watchesSteals()) {
      thief.record(stolen, stealNanos);
    }
    endSearch();
    if (scheduler.idle.mayCallThief(core) && thief.seesPrey()) {
      callThief(); // there is more: send for the next
    }
    return WorkerState.RUN;
  }

  /** A look at its own queue in place of one at a victim: rounds take as long as any other. */
  private int rest() {
    if (!core.queue.isEmpty()) {
      endSearch();
      return WorkerState.PICK;
    }
    thief.pass();
    return WorkerState.SEARCH;
  }

  /** Whether to look once more before parking: who is called again at once wakes up too late. */
  private boolean spin() {
    if (spins >= scheduler.settings.spins) {
      return false;
    }
    if ((++spins & (GIVE_WAY_SPINS - 1)) == 0) {
      host.giveWay();
    } else {
      Thread.onSpinWait();
    }
    return true;
  }

  Color takePrey() {
    Color taken = prey;
    if (taken == null) {
      throw new AssertionError("nothing was stolen");
    }
    prey = null;
    return taken;
  }

  /** When the search that won was over. */
  long stolenAt() {
    return stolenAt;
  }

  /** The first batch of the stolen color is over: see {@link Thief#account}. */
  void account(long stolenNanos, long expectedNanos, @Nullable Handler<?> handler) {
    boolean more = thief.account(stealNanos, stolenNanos, expectedNanos, handler);
    if (more && scheduler.idle.mayCallThief(core)) {
      callThief();
    }
  }

  /** The worker has something to run, or leaves. */
  void end() {
    if (spins != 0) {
      spins = 0;
    }
    if (searching || watching) {
      endIdleness();
    }
  }

  private void endIdleness() {
    if (Boundary.FILLS) {
      Boundary.fill(
          0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
          0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
          0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    }
    if (searching) {
      endSearch(); // called to steal, but it found work of its own
    }
    if (watching) {
      // Somebody else must watch.
      watching = false;
      scheduler.idle.stopWatching();
      callWatcher();
    }
  }

  private void endSearch() {
    spins = 0;
    rounds = 0;
    stopSearching();
  }

  private void stopSearching() {
    if (searching) {
      searching = false;
      scheduler.idle.stopSearching(core);
    }
  }

  /** The core is busy, and some time has passed: much may wait here that nobody was called for. */
  void callForBacklog() {
    if (policy.timeLeft()
        && scheduler.settings.choosesAgain
        && scheduler.idle.mayCallThief(core)
        && scheduler.backlog.mayCall(core.queue.size())) {
      callThief();
    }
  }

  private void callThief() {
    scheduler.idle.callThief(core, scheduler.neighbors(core));
  }

  // ---- Parking

  int publish() {
    published = true;
    scheduler.idle.publishParked(core);
    stopSearching();
    return WorkerState.RECHECK;
  }

  /** Looks again after having published: see {@link IdleCores}. */
  int recheck() {
    boolean work = !core.queue.isEmpty() || scheduler.phase() == Scheduler.CLOSED;
    // What a thief refused a moment ago is no reason to search for ever.
    boolean prey = policy.stealing() && rounds++ < 2 && thief.seesPrey();
    boolean room = core.gate != null && core.gate.hasNext();
    if (!work && !prey && !room) {
      return WorkerState.PARK;
    }
    unpark();
    return WorkerState.PICK;
  }

  int park() {
    if (Boundary.FILLS) {
      Boundary.fill(
          0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
          0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
          0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    }
    long wait = Long.MAX_VALUE;
    long now = host.nanos();
    long deadline = core.timers.nextDeadline();
    if (deadline != TimerQueue.NONE) {
      wait = Math.max(0, deadline - now);
    }
    if (core.gate != null) {
      wait = Math.min(wait, core.gate.timeLeft(now));
    }
    if (policy.stealing() && scheduler.cores() > 1) {
      wait = Math.min(wait, watchTime());
    }
    counters.parks++;
    counters.park(now);
    Object flight = Flight.beginPark();
    if (!core.poll(wait, counters)) {
      // A thief took this core for stuck, and looks after its events. It may have lost its CPU in
      // the middle, perhaps to this very thread: to try again at once would keep it from going on.
      // Or the poller fails: to try again at once would burn the CPU for as long as it does.
      host.pause(PAUSE_NANOS << Math.min(core.pollFailures(), MAX_PAUSE_SHIFT));
    }
    if (flight != null) {
      Flight.endPark(flight, core.index, wait);
    }
    return WorkerState.WAKE;
  }

  int wake() {
    if (Boundary.FILLS) {
      Boundary.fill(
          0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
          0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
          0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    }
    unpark();
    rounds = 0;
    long now = host.nanos();
    counters.unpark(now);
    thief.forget(now);
    look(now);
    age(now);
    timers.fire(core, now, core);
    return WorkerState.PICK;
  }

  private void unpark() {
    spins = 0;
    published = false;
    core.wakes.setOpaque(core.wakes.getPlain() + 1);
    if (scheduler.idle.retractParked(core)) {
      counters.wakeups++;
      searching = true;
    }
    if (policy.stealing()) {
      callWatcher(); // else nobody would notice if this core got stuck now
    }
  }

  /** Looks after those who wait for what the core's pool lacks. */
  void age(long now) {
    PoolGate gate = core.gate;
    if (gate != null) {
      if (scheduler.phase() != Scheduler.OPEN) {
        gate.end();
      }
      gate.age(now);
    }
  }

  /**
   * A fault of the host has ended a step in its middle: nobody must take the worker for parked.
   *
   * @return whether it had stolen a color by then, see {@link #takePrey}
   */
  boolean recover() {
    if (published) {
      unpark();
    }
    return prey != null;
  }

  // ---- Watching

  /** Looks for cores that are stuck. */
  void look(long now) {
    if (policy.stealing()) {
      stuckCores.look(now);
      stuckSeen = stuckCores.isAnyStuck();
      thief.allowPoll();
    }
  }

  /** Whether a core was stuck at the last look. */
  boolean seesStuck() {
    return stuckSeen;
  }

  /** How long this worker may sleep: not for good if it is a watcher, or becomes one. */
  private long watchTime() {
    long patience = stuckCores.patience();
    if (watching && patience == Long.MAX_VALUE) {
      // Lay the watch down, then look again: a core that wakes up now either is seen here, or
      // sees that nobody watches and calls somebody.
      watching = false;
      scheduler.idle.stopWatching();
      patience = stuckCores.patience();
    }
    if (!watching && patience != Long.MAX_VALUE) {
      watching = scheduler.idle.startWatching();
    }
    return watching ? patience : Long.MAX_VALUE;
  }

  private void callWatcher() {
    if (scheduler.idle.idle() > 0 && !scheduler.idle.isWatched()) {
      callThief();
    }
  }
}
