package dev.mely;

import dev.mely.flight.Flight;
import dev.mely.jit.OwnCompilation;

/**
 * What a worker does while its core-queue is empty: the states SEARCH to WAKE of {@link Worker}.
 * Searches for a color to steal, spins for a while, then parks.
 *
 * <p>Owned by one worker. The protocol with producers is described in {@link IdleCores}.
 */
final class Idler {
  /** How long to wait for a thief that is polling in this core's place. */
  private static final long PAUSE_NANOS = 50_000;

  /** Maximum back-off between two looks at victims, in rounds; a power of two. */
  private static final int MAX_BACK_OFF = 32;

  /**
   * Spins before the worker yields: where busy threads outnumber CPUs, the producer of what it
   * searches for may wait for this CPU. A power of two.
   */
  private static final int GIVE_WAY_SPINS = 16;

  /** Maximum back-off of a poller that fails, as a shift: about 20 polls a second. */
  private static final int MAX_PAUSE_SHIFT = 10;

  private final Scheduler scheduler;
  private final Timers timers;
  private final boolean stealing;
  private final Core core;
  private final Host host;
  private final Counters counters;
  private final IdleCores idle;
  private final ThiefCalls calls;
  private final StuckDetector detector;
  private final Steal steal = new Steal();
  private final StealSearch search;

  /**
   * Whether {@link IdleCores} counts this worker as searching. Not while it has colors of its own:
   * then one round is enough.
   */
  private boolean searching;

  /** From just before the worker says that it is parked until it unparks. */
  private boolean published;

  private int spins;
  private int rounds;

  Idler(Scheduler scheduler, Timers timers, Core core) {
    this.scheduler = scheduler;
    this.timers = timers;
    this.stealing = scheduler.policy.steals();
    this.core = core;
    this.host = scheduler.host;
    this.counters = core.counters;
    this.idle = scheduler.idle;
    this.calls = scheduler.calls;
    StealContext context = scheduler.stealContext();
    this.detector = new StuckDetector(context, core);
    TakeOver takeOver = new WorkerTakeOver(scheduler, timers, core);
    this.search = new StealSearch(context, core, detector, takeOver, steal);
  }

  // ---- Searching

  /** Nothing is left in the core's own queue. */
  @OwnCompilation
  int beginSearch() {
    if (!stealing) {
      return spin() ? WorkerState.PICK : WorkerState.PUBLISH;
    }
    if (!searching) {
      if (spins == 0 && scheduler.settings.spins == 0 && !search.seesPrey()) {
        return WorkerState.PUBLISH;
      }
      searching = true;
      idle.startSearching(core);
    }
    search.beginSearch(host.nanos());
    return WorkerState.SEARCH;
  }

  /** A core is stuck, and this one has colors of its own. */
  int rescue() {
    search.beginRescue(host.nanos());
    return WorkerState.SEARCH;
  }

  /** This core has colors of its own, but another core may have far more. */
  int relieve(long now) {
    return search.beginRelief(now) ? WorkerState.SEARCH : WorkerState.PICK;
  }

  /**
   * Exponential back-off: whether a thief looks at victims in the round that follows this many in
   * vain. It does in the first, the second, the fourth, the eighth, and so on. A look takes a cache
   * line from a busy core, which has to fetch it again to write; a hundred cores that looked in
   * each round would slow it down to nothing.
   */
  static boolean looksAround(int spins) {
    int round = spins + 1;
    return (round & (Math.min(Integer.highestOneBit(round), MAX_BACK_OFF) - 1)) == 0;
  }

  /** Makes one step of a search. RUN: a color has been stolen, and its batch has begun. */
  @OwnCompilation
  int search() {
    if (search.hasNext()) {
      if (!looksAround(spins)) {
        return rest();
      }
      return search.visit() ? won() : WorkerState.SEARCH;
    }
    if (!searching || !core.queue.isEmpty()) {
      endSearch();
      return WorkerState.PICK;
    }
    if (looksAround(spins) && search.beginBacklog()) {
      return WorkerState.SEARCH;
    }
    if (spin()) {
      if (looksAround(spins)) {
        search.again(host.nanos());
      } else {
        search.againInPassing();
      }
      return WorkerState.SEARCH;
    }
    return WorkerState.PUBLISH;
  }

  /** A color has been stolen. */
  private int won() {
    Color stolen = steal.takeColor();
    core.batch.beginStolenBatch(stolen); // first: what follows may run out of memory
    endSearch();
    if (Flight.watchesSteals()) {
      steal.record(core.index, stolen);
    }
    if (calls.mayCall(core) && search.seesPrey()) {
      calls.another(core);
    }
    return WorkerState.RUN;
  }

  /** Backs off: looks at its own queue in place of a victim's. */
  private int rest() {
    if (!core.queue.isEmpty()) {
      endSearch();
      return WorkerState.PICK;
    }
    search.pass();
    return WorkerState.SEARCH;
  }

  /** Whether to search once more before parking: a worker that parks too early wakes up late. */
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

  /** The first batch of the color that was stolen last is over: the price learns from it. */
  void settleSteal() {
    long took = host.nanos() - steal.won();
    counters.stealNanos += steal.searchNanos();
    counters.stolenNanos += took;
    if (scheduler.price.settle(steal, took, core.batch.expectedNanos(), core.batch.handler)) {
      calls.another(core);
    }
  }

  /** The worker has something to run, or leaves. */
  void endIdling() {
    if (spins != 0) {
      spins = 0;
    }
    if (searching) {
      endSearch(); // called to steal, but it found work of its own
    }
    detector.stopWatching();
  }

  private void endSearch() {
    spins = 0;
    rounds = 0;
    stopSearching();
  }

  private void stopSearching() {
    if (searching) {
      searching = false;
      idle.stopSearching(core);
    }
  }

  // ---- Parking

  int publish() {
    published = true;
    idle.publishParked(core);
    stopSearching();
    return WorkerState.RECHECK;
  }

  /** Step 3 of {@link IdleCores}: looks again after having published. */
  int recheck() {
    boolean work = !core.queue.isEmpty() || scheduler.phase() == Scheduler.CLOSED;
    // Two looks at most: what it sees may be what this thief has just refused.
    boolean prey = stealing && rounds++ < 2 && search.seesPrey();
    boolean memory = core.queue.lineMoves();
    if (!work && !prey && !memory) {
      return WorkerState.PARK;
    }
    unpark();
    return WorkerState.PICK;
  }

  @OwnCompilation
  int park() {
    long wait = Long.MAX_VALUE;
    long now = host.nanos();
    long deadline = core.timers.nextDeadline();
    if (deadline != TimerQueue.NONE) {
      wait = Math.max(0, deadline - now);
    }
    wait = Math.min(wait, core.queue.patience(now));
    if (stealing && scheduler.cores() > 1) {
      wait = Math.min(wait, detector.sleepNanos());
    }
    counters.parks++;
    counters.park(now);
    Object flight = Flight.beginPark();
    if (!core.poll(wait, counters)) {
      // A thief took this core for stuck, and polls in its place. It may have been preempted,
      // perhaps by this very thread, which must not spin then. Or the poller fails: back off.
      host.pause(PAUSE_NANOS << Math.min(core.pollFailures(), MAX_PAUSE_SHIFT));
    }
    if (flight != null) {
      Flight.endPark(flight, core.index, wait);
    }
    return WorkerState.WAKE;
  }

  @OwnCompilation
  int wake() {
    unpark();
    rounds = 0;
    long now = host.nanos();
    counters.unpark(now);
    scheduler.price.decay(now);
    look(now);
    age(now);
    timers.fire(core, now, core);
    return WorkerState.PICK;
  }

  private void unpark() {
    spins = 0;
    published = false;
    core.wakes.setOpaque(core.wakes.getPlain() + 1);
    if (idle.retractParked(core)) {
      counters.wakeups++;
      searching = true;
    }
    if (stealing) {
      detector.callWatcher();
    }
  }

  /** Ages the colors that wait for an object of the core's pool. */
  void age(long now) {
    core.queue.age(now, scheduler.phase() != Scheduler.OPEN);
  }

  /** A step has been broken off for lack of memory: the worker must not count as parked. */
  void recover() {
    if (published) {
      unpark();
    }
  }

  // ---- Watching

  /** Looks for cores that are stuck. */
  void look(long now) {
    if (stealing) {
      detector.look(now);
    }
  }

  /** Whether a core was stuck at the last look. */
  boolean seesStuck() {
    return detector.isAnyStuck();
  }
}
