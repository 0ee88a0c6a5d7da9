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

  /** Upper bound of the back-off between two looks at victims, in rounds; a power of two. */
  private static final int MAX_BACK_OFF = 32;

  /**
   * After so many spins the CPU is offered to who waits for it: on a machine with fewer CPUs than
   * busy threads that is the producer of what is searched for. A power of two.
   */
  private static final int GIVE_WAY_SPINS = 16;

  /** A poller that always fails is asked about 20 times a second. */
  private static final int MAX_PAUSE_SHIFT = 10;

  private final Scheduler scheduler;
  private final Timers timers;
  private final boolean stealing;
  private final Core core;
  private final Host host;
  private final Counters counters;
  private final IdleCores idle;
  private final ThiefCalls calls;
  private final Watch watch;
  private final Steal steal = new Steal();
  private final StealSearch search;

  /** Counts among the searching. */
  private boolean searching;

  /** Has said that it is parked, or is about to. */
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
    Thieves thieves = scheduler.thieves();
    this.watch = new Watch(thieves, core);
    Upkeep upkeep = new SchedulerUpkeep(scheduler, timers, core);
    this.search = new StealSearch(thieves, core, watch, upkeep, steal);
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

  /** This core has colors of its own, but another one may have far more. */
  int relieve(long now) {
    return search.beginRelief(now) ? WorkerState.SEARCH : WorkerState.PICK;
  }

  /**
   * Whether the round after so many in vain is one of looks at victims: the first, the second, the
   * fourth, the eighth, and so on. A look takes a line from a core that has work, and makes it wait
   * for that line when it writes the next time; with a hundred cores that look all the time, it
   * would do little else.
   */
  static boolean looksAround(int spins) {
    int round = spins + 1;
    return (round & (Math.min(Integer.highestOneBit(round), MAX_BACK_OFF) - 1)) == 0;
  }

  /** RUN: a color has been stolen, and its batch has begun. */
  @OwnCompilation
  int search() {
    if (search.hasNext()) {
      if (!looksAround(spins)) {
        return rest();
      }
      return search.visit() ? won() : WorkerState.SEARCH;
    }
    if (search.isAside() || !core.queue.isEmpty()) {
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

  /** The search has won. */
  private int won() {
    Color stolen = steal.takeColor();
    core.batch.beginStolenBatch(stolen); // first: what follows may find no memory
    endSearch();
    if (Flight.watchesSteals()) {
      steal.record(core.index, stolen);
    }
    if (calls.mayCall(core) && search.seesPrey()) {
      calls.another(core);
    }
    return WorkerState.RUN;
  }

  /** A look at its own queue in place of one at a victim: rounds take as long as any other. */
  private int rest() {
    if (!core.queue.isEmpty()) {
      endSearch();
      return WorkerState.PICK;
    }
    search.pass();
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

  /** The first batch of the color that was stolen last is over: what the steal has brought. */
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
    watch.stopWatching();
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

  /** Looks again after having published: see {@link IdleCores}. */
  int recheck() {
    boolean work = !core.queue.isEmpty() || scheduler.phase() == Scheduler.CLOSED;
    // What a thief refused a moment ago is no reason to search for ever.
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
      wait = Math.min(wait, watch.sleepNanos());
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
      watch.callWatcher();
    }
  }

  /** Looks after colors that wait for what the core's pool lacks. */
  void age(long now) {
    core.queue.age(now, scheduler.phase() != Scheduler.OPEN);
  }

  /** A lack of memory has ended a step in its middle: nobody must take the worker for parked. */
  void recover() {
    if (published) {
      unpark();
    }
  }

  // ---- Watching

  /** Looks for cores that are stuck. */
  void look(long now) {
    if (stealing) {
      watch.look(now);
    }
  }

  /** Whether a core was stuck at the last look. */
  boolean seesStuck() {
    return watch.isAnyStuck();
  }
}
