package dev.mely;

import dev.mely.flight.Flight;
import dev.mely.jit.Boundary;
import java.util.Arrays;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The stealing side of one worker: Figure 2 of the Mely paper, with the heuristics of section III.
 *
 * <pre>
 *   construct_core_set      VictimOrder
 *   can_be_stolen           the victim's stealing-queue, or two colors in its core-queue
 *   choose_color_to_steal   a worthy color of the highest interval, or the first with less than
 *                           half of the events; beyond the paper, that one too where nothing is
 *                           worthy and much waits (Backlog)
 *   construct_event_set     nothing to do: the color is its queue
 *   migrate                 Color.claim: one compare-and-set
 * </pre>
 *
 * <p>Owned by one worker. Each {@link #visit} looks at one entry of one victim.
 */
final class Thief {
  /** So many more large colors have to wait elsewhere for a core to put one before its own. */
  static final int RELIEF = 2;

  /** So many entries that are stale end a visit to such a core. */
  private static final int MAX_STALE = 4;

  private final Scheduler scheduler;
  private final Timers timers;
  private final Core self;
  private final VictimOrder order;
  private final Counters counters;
  private final StuckCores stuckCores;

  private int[] victims = new int[0];
  private int next;
  private int refused;

  /** Which stuck cores' external events may be polled (again), by number. */
  private final boolean[] mayPoll;

  /** How far the victims' own lanes have been looked at, by number. */
  private final int[] lookedAt;

  /** The entry to decide about, where it came from, and whether its core is stuck. */
  private final Entry inHand = new Entry();

  private boolean fromRing;
  private boolean stuck;

  /** Visits stuck cores alone. */
  private boolean stuckOnly;

  /** Visits one core that has much more to do; so many stale entries end that. */
  private boolean relieves;

  private final int[] relieved = new int[1];

  /** How often {@link #findOverloaded} has looked at a neighbor. */
  private int looksBeside;

  /** Takes what is next at cores where much waits, worthy or not. */
  private boolean secondChoice;

  /** How many colors waited where the last one was stolen as a second choice; 0: it was none. */
  private int waited;

  private final IntUnaryOperator load;
  private long average = Worthiness.INITIAL_STEAL_NANOS;

  /** Since when {@link #average} stands as it is, unless a steal has moved it since. */
  private long averageSince;

  private boolean averageMoved = true;

  Thief(Scheduler scheduler, Timers timers, Core self, StuckCores stuckCores) {
    this.scheduler = scheduler;
    this.timers = timers;
    this.self = self;
    this.counters = self.counters;
    this.stuckCores = stuckCores;
    this.mayPoll = new boolean[scheduler.cores()];
    this.lookedAt = new int[scheduler.cores()];
    this.load =
        scheduler.policy.usesStealingQueue()
            ? core -> scheduler.core(core).stealing.size()
            : core -> scheduler.core(core).queue.size();
    this.order = new VictimOrder(self.index, scheduler.cores(), scheduler.settings.distance);
  }

  /** Whether a search could find something: cheap, and never wrong about worthy colors. */
  boolean seesPrey() {
    for (Core victim : scheduler.neighbors(self)) {
      if (canBeStolen(victim) || stuckCores.isStuck(victim)) {
        return true;
      }
    }
    return false;
  }

  /** Some time has passed: the next visit to a stuck core may poll its external events again. */
  void allowPoll() {
    Arrays.fill(mayPoll, true);
  }

  /**
   * Begins a search: orders the victims, and takes the timers that are overdue there.
   *
   * @param stuckOnly whether to leave cores alone that are merely busy
   * @param now on the host's clock
   */
  void start(boolean stuckOnly, long now) {
    this.stuckOnly = stuckOnly;
    relieves = false;
    scheduler.backlog.forget(now, scheduler.settings.watchNanos);
    layDown();
    victims = order.victims(load);
    long overdue = now - 2 * scheduler.settings.pollNanos; // their worker had its chance
    for (int victim : victims) {
      timers.fire(scheduler.core(victim), overdue, self);
    }
    again(true);
  }

  /** A fault of the host may have ended the last search in its middle. */
  private void layDown() {
    if (!inHand.isEmpty()) {
      Core home = scheduler.core(inHand.color().core());
      scheduler.putBack(inHand, home);
      scheduler.idle.wakeHome(home);
    }
  }

  /**
   * Looks at one neighbor, the next time at another one.
   *
   * @return it, if much more waits there that is well worth a steal than here; else null
   */
  @Nullable Core findOverloaded() {
    Core[] neighbors = scheduler.neighbors(self);
    if (neighbors.length == 0) {
      return null;
    }
    Core other = neighbors[Integer.remainderUnsigned(looksBeside++, neighbors.length)];
    int enough = self.queue.size() + RELIEF;
    // What is stale in one queue is not in the other. The second is asked if the first says yes:
    // its lines are those that its core needs most.
    return other.stealing.large() >= enough && other.queue.size() >= enough ? other : null;
  }

  /** Begins a search that visits that core alone, for one of its worthy colors. */
  void relieve(Core overloaded) {
    stuckOnly = false;
    relieves = true;
    layDown();
    relieved[0] = overloaded.index;
    victims = relieved;
    again(true);
  }

  /**
   * Visits the same victims once more. Looking at their loads each time would slow them down.
   *
   * @param looks whether it will {@link #visit} them; else it is to {@link #pass} them
   */
  void again(boolean looks) {
    next = 0;
    refused = 0;
    secondChoice = false;
    if (looks) {
      counters.stealsTried++;
    }
  }

  /**
   * Nothing worthy was found: visits the same victims for what is next at those where much waits,
   * see {@link Backlog}.
   *
   * @return false: it has just done so, or it is hopeless, or worth plays no part
   */
  boolean chooseAgain() {
    if (secondChoice
        || stuckOnly
        || !scheduler.policy.timeLeft()
        || !scheduler.settings.choosesAgain
        || !scheduler.backlog.mayBeLong()) {
      return false;
    }
    again(false);
    secondChoice = true;
    return true;
  }

  /** Whether there is a victim left to visit. */
  boolean hasNext() {
    return next < victims.length;
  }

  /** Moves on without a look. */
  void pass() {
    nextVictim();
  }

  /**
   * Takes an entry of the current victim, or decides about the one that it took in the call before;
   * moves on if there is nothing to take.
   *
   * @return a color that is RUNNING here now, or null
   */
  @Nullable Color visit() {
    if (Boundary.FILLS) {
      Boundary.fill(
          0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
          0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
          0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    }
    Core victim = scheduler.core(victims[next]);
    if (!inHand.isEmpty()) {
      Color taken = fromRing ? takeWaiting(victim) : takeWorthy(victim);
      if (taken == null && relieves && ++refused >= MAX_STALE) {
        nextVictim(); // own colors wait
      }
      return taken;
    }
    stuck = stuckCores.isStuck(victim);
    if (stuck && mayPoll[victim.index]) {
      mayPoll[victim.index] = false;
      lookAfter(victim);
    }
    if (!stuck && (stuckOnly || !canBeStolen(victim))) {
      nextVictim();
      return null;
    }
    fromRing = isRingsTurn(victim);
    if (!takeEntry(victim)) {
      nextVictim();
    }
    return null;
  }

  /**
   * Whether to take what waits, worthy or not. At a core that is stuck both have their turns: it
   * may be blocked, so that nothing else would ever run there, or registering many events, whose
   * long ones win more than whatever is first.
   */
  private boolean isRingsTurn(Core victim) {
    if (!scheduler.policy.usesStealingQueue() || secondChoice) {
      return true;
    }
    if (!stuck) {
      return false;
    }
    return !fromRing || victim.stealing.isEmpty();
  }

  private boolean takeEntry(Core victim) {
    if (fromRing) {
      return victim.queue.poll(inHand) || lookAt(victim);
    }
    Color color = victim.stealing.poll();
    if (color != null) {
      inHand.set(color, CoreQueue.ROTATION);
    }
    return color != null;
  }

  /** At what the victim's worker has queued itself: to be taken by its state, not to be removed. */
  private boolean lookAt(Core victim) {
    lookedAt[victim.index] = victim.queue.own().find(victim.index, lookedAt[victim.index], inHand);
    return !inHand.isEmpty();
  }

  private void nextVictim() {
    next++;
    refused = 0;
  }

  private boolean canBeStolen(Core victim) {
    if (secondChoice) {
      return scheduler.backlog.isLong(victim.queue.size());
    }
    return scheduler.policy.usesStealingQueue()
        ? !victim.stealing.isEmpty()
        : victim.queue.size() >= 2;
  }

  /** An entry of the stealing-queue: stale if the color has run, moved, or lost its work since. */
  private @Nullable Color takeWorthy(Core victim) {
    Color color = inHand.take();
    boolean worthy = scheduler.worthiness.isWorthy(color.weight()) && couldRun(color);
    return worthy && color.claim(victim.index, self.index) ? won(color) : null;
  }

  /**
   * An entry of the core-queue. Base stealing takes the first color that holds less than half of
   * the core's events; from a core that is stuck, any will do.
   */
  private @Nullable Color takeWaiting(Core victim) {
    Color color = inHand.color();
    if (!color.isQueuedAt(victim.index)) {
      inHand.take(); // stale
      return null;
    }
    if (!color.isPinned()
        && (stuck || (holdsLessThanHalf(victim, color) && couldRun(color)))
        && color.claim(victim.index, self.index)) {
      return won(inHand.take());
    }
    putBack(victim);
    if (secondChoice) {
      scheduler.backlog.disprove(); // it has lost its turn for nothing
    }
    return null;
  }

  /** Whether this core's pool has what the color's next event allocates. */
  private boolean couldRun(Color color) {
    return self.gate == null || self.gate.couldRun(color);
  }

  private static boolean holdsLessThanHalf(Core victim, Color color) {
    // Events are not counted per core, since that would cost every producer an atomic. Each other
    // entry stands for one event or more, and so does the color that is running: a lower bound.
    long others = (long) victim.queue.size() + (victim.isParked() ? 0 : 1);
    return color.pendingCount() + 1 <= others;
  }

  private Color won(Color color) {
    counters.stealsWon++;
    waited = secondChoice && !stuck ? 1 + scheduler.core(victims[next]).queue.size() : 0;
    if (stuck) {
      counters.takeovers++;
    }
    return color;
  }

  /** Tells the flight recorder of the color that {@link #visit} has just returned. */
  void record(Color color, long searchNanos) {
    int events = color.pending();
    Flight.stole(self.index, victims[next], stuck, color, events, color.weight(), searchNanos);
  }

  /** Does for a stuck core what its worker would do between two colors. */
  private void lookAfter(Core victim) {
    timers.fire(victim, scheduler.host.nanos(), self);
    scheduler.disband(victim);
    if (victim.poller.isTransferable()) {
      victim.poll(0, counters);
    }
  }

  /** Not for us: to the tail, and after a round of refusals to the next victim. */
  private void putBack(Core victim) {
    scheduler.putBack(inHand, victim);
    // While the entry was in our hands the victim may have found its queue empty and parked.
    scheduler.idle.wakeHome(victim);
    if (++refused > Math.min(4, victim.queue.size())) {
      nextVictim();
    }
  }

  /**
   * The worker has slept. What steals cost wears off while there are none.
   *
   * @param now on the host's clock
   */
  void forget(long now) {
    long times = (now - averageSince) / scheduler.settings.watchNanos;
    if (averageMoved) {
      averageMoved = false;
      averageSince = now;
    } else if (times > 0) {
      averageSince = now;
      average = scheduler.worthiness.forget(average, times);
    }
  }

  /**
   * Takes note of what the last steal cost and won, in nanoseconds.
   *
   * @param stealNanos from the start of the search to the claim
   * @param stolenNanos what the stolen events took here
   * @param expectedNanos what they were expected to take; 0: unknown
   * @param handler whose events they were, the last of them
   * @return whether there is something for another thief where it came from, though not worthy
   */
  boolean account(
      long stealNanos, long stolenNanos, long expectedNanos, @Nullable Handler<?> handler) {
    counters.stealNanos += stealNanos;
    counters.stolenNanos += stolenNanos;
    price(stealNanos, stolenNanos, expectedNanos, handler);
    if (waited == 0) {
      return false;
    }
    Backlog backlog = scheduler.backlog;
    long usual = expectedNanos == 0 ? stolenNanos : expectedNanos;
    return backlog.observe(waited, stealNanos + stolenNanos, usual) && backlog.isLong(waited / 2);
  }

  private void price(
      long stealNanos, long stolenNanos, long expectedNanos, @Nullable Handler<?> handler) {
    averageMoved = true;
    if (expectedNanos == 0) {
      average = scheduler.worthiness.observeSteal(average, stealNanos);
      return;
    }
    // What the stolen events took beyond their usual time is the price of dragging their data
    // along. Part of it every color has to pay; what a handler's colors pay on top is a penalty.
    long dragged = stolenNanos - expectedNanos;
    long paid = stealNanos + dragged;
    if (waited == 0 || paid < average) {
      // A second choice may show that the price is lower than thought. If it cost more, that is
      // what it was expected to, and nothing that the worthy should be charged for.
      average = scheduler.worthiness.observeSteal(average, paid);
    }
    if (handler != null) {
      handler.observeDrag(paid, scheduler.worthiness.stealNanos());
    }
  }
}
