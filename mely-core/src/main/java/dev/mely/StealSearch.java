package dev.mely;

import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * One worker's search for a color to steal: Figure 2 of the Mely paper, with the heuristics of
 * section III.
 *
 * <pre>
 *   construct_core_set      VictimOrder
 *   can_be_stolen           the victim's stealing-queue, or two colors in its core-queue
 *   choose_color_to_steal   a worthy color of the highest interval, or the first with less than
 *                           half of the events: see Steal.Mode
 *   construct_event_set     nothing to do: the color is its queue
 *   migrate                 Color.claim: one compare-and-set
 * </pre>
 *
 * <p>Each {@link #visit} takes one entry of one victim, or decides about the entry that the last
 * visit has taken. Owned by the worker.
 */
final class StealSearch {
  /** Relief threshold: how many more large colors must wait at the other core than at this one. */
  static final int RELIEF = 2;

  /** Number of refused colors that ends the visits to one core. */
  private static final int MAX_REFUSED = 4;

  /** Where the candidate was found. */
  private enum Source {
    STEALING_QUEUE,
    SHARED_LANE,

    /** Only looked at: the entry stays there. */
    OWN_LANE
  }

  /** Least time between two looks of a busy core at another one, in nanoseconds. */
  private static final long BESIDE_NANOS = 100_000;

  private final StealContext context;
  private final Cores cores;
  private final Core self;
  private final StealPolicy policy;
  private final StealPrice price;
  private final StuckDetector detector;
  private final TakeOver takeOver;
  private final Steal steal;
  private final VictimOrder order;
  private final IntUnaryOperator load;

  /** What this search is for. A core that is stuck is always {@link Steal.Mode#STUCK}. */
  private Steal.Mode mode;

  private int[] victims = new int[0];
  private int next;
  private int refused;

  /** The color to decide about. */
  private @Nullable Color candidate;

  /** Where it was found; {@link #lane} tells the interval or lane there. */
  private Source source = Source.STEALING_QUEUE;

  private int lane;

  /** How it may be taken. */
  private Steal.Mode as;

  /** By victim: where the next look into its own lane begins. */
  private final int[] lookedAt;

  private final int[] overloaded = new int[1];
  private int looksBeside;
  private long lookedBeside;

  /** Number of batches at the last relief. */
  private long relievedAt = -2;

  /**
   * @param steal filled in where the search wins
   */
  StealSearch(
      StealContext context, Core self, StuckDetector detector, TakeOver takeOver, Steal steal) {
    this.context = context;
    this.cores = context.cores();
    this.self = self;
    this.policy = context.settings().policy;
    this.price = context.price();
    this.detector = detector;
    this.takeOver = takeOver;
    this.steal = steal;
    this.mode = usual();
    this.as = mode;
    this.lookedAt = new int[cores.count()];
    this.load =
        policy.usesStealingQueue()
            ? core -> cores.core(core).stealing.size()
            : core -> cores.core(core).queue.size();
    this.order = new VictimOrder(self.index, cores.count(), context.settings().distance);
  }

  private Steal.Mode usual() {
    return policy.usesStealingQueue() ? Steal.Mode.WORTHY : Steal.Mode.BASE;
  }

  // ---- Beginning

  /**
   * Whether a search, or one like the last, could find something: cheap, and sees each color in a
   * stealing-queue.
   */
  boolean seesPrey() {
    for (Core victim : cores.neighbors(self)) {
      if (hasPrey(victim, usual()) || hasPrey(victim, mode) || detector.isStuck(victim)) {
        return true;
      }
    }
    return false;
  }

  /** Begins a search of a core that has nothing to run. */
  void beginSearch(long now) {
    beginSearch(usual(), now);
  }

  /** Begins a search of a core that has colors of its own: a short look at those that are stuck. */
  void beginRescue(long now) {
    beginSearch(Steal.Mode.STUCK, now);
  }

  /** Orders the victims, and fires the timers that are overdue there. */
  private void beginSearch(Steal.Mode newMode, long now) {
    price.decay(now);
    victims = order.victims(load);
    long overdue = now - 2 * context.settings().pollNanos; // their worker had its chance
    for (int victim : victims) {
      takeOver.fireTimers(cores.core(victim), overdue);
    }
    beginRound(newMode, now);
  }

  /**
   * Begins a search of a busy core at one that is far more loaded, so that colors there do not wait
   * much longer than those here. Never ahead of this core's preferred colors (urgent or short), and
   * in turn with the others.
   *
   * @return false if there is no such core
   */
  boolean beginRelief(long now) {
    if (now - lookedBeside < BESIDE_NANOS
        || self.counters.batches - relievedAt < 2 // one of theirs, one of ours
        || self.stealing.large() == 0
        || self.queue.hasPreferred()) {
      return false;
    }
    lookedBeside = now;
    Core other = findOverloaded();
    if (other == null) {
      return false;
    }
    relievedAt = self.counters.batches;
    overloaded[0] = other.index;
    victims = overloaded;
    beginRound(Steal.Mode.RELIEF, now);
    return true;
  }

  /** Looks at one neighbor; the next call looks at the next one. */
  private @Nullable Core findOverloaded() {
    Core[] neighbors = cores.neighbors(self);
    if (neighbors.length == 0) {
      return null;
    }
    Core other = neighbors[Integer.remainderUnsigned(looksBeside++, neighbors.length)];
    int enough = self.queue.size() + RELIEF;
    // An entry that is stale in one queue is not in the other, so both are asked. The core-queue is
    // second: its cache lines are those that its core needs most.
    return other.stealing.large() >= enough && other.queue.size() >= enough ? other : null;
  }

  private void beginRound(Steal.Mode newMode, long now) {
    self.counters.stealsTried++;
    goRound(newMode);
    steal.beginSearch(now);
  }

  private void goRound(Steal.Mode newMode) {
    mode = newMode;
    next = 0;
    refused = 0;
  }

  /** Visits the same victims once more. Looking at their loads again would slow them down. */
  void again(long now) {
    beginRound(usual(), now);
  }

  /** As {@link #again}, in a round in which the victims are not visited: see {@link #pass}. */
  void againInPassing() {
    goRound(usual());
  }

  /**
   * Nothing worthy was found: visits the same victims, and takes what is next where the backlog is
   * long.
   *
   * @return false unless the search was for worthy colors, time-left is on, and the threshold is
   *     not saturated
   */
  boolean beginBacklog() {
    if (mode != Steal.Mode.WORTHY
        || !policy.isOn(StealPolicy.Heuristic.TIME_LEFT)
        || !context.settings().choosesAgain
        || !price.mayBeLong()) {
      return false;
    }
    goRound(Steal.Mode.BACKLOG);
    return true;
  }

  // ---- Visiting

  /** Whether there is a victim left to visit. */
  boolean hasNext() {
    return next < victims.length;
  }

  /** Moves on without a look. */
  void pass() {
    next++;
    refused = 0;
  }

  /**
   * Takes an entry of the current victim, or decides about the one that it took in the call before;
   * moves on if there is nothing to take.
   *
   * @return whether a color is RUNNING here now: it is in the {@link Steal}
   */
  boolean visit() {
    Core victim = cores.core(victims[next]);
    Color found = candidate;
    if (found != null) {
      candidate = null;
      return source == Source.STEALING_QUEUE ? takeWorthy(victim, found) : take(victim, found);
    }
    boolean stuck = detector.isStuck(victim);
    if (stuck && detector.isDue(victim)) {
      takeOver.takeOver(victim);
    }
    if (stuck || (mode != Steal.Mode.STUCK && hasPrey(victim, mode))) {
      as = stuck ? Steal.Mode.STUCK : mode;
      candidate = find(victim);
    }
    if (candidate == null) {
      pass();
    }
    return false;
  }

  /** {@code can_be_stolen}: whether a look at that core is worth it. */
  private boolean hasPrey(Core victim, Steal.Mode how) {
    return switch (how) {
      case BASE -> victim.queue.size() >= 2;
      case BACKLOG -> price.isLong(victim.queue.size());
      default -> !victim.stealing.isEmpty();
    };
  }

  /** The next entry of a victim; null: there is none. */
  private @Nullable Color find(Core victim) {
    if (looksForWorthy(victim)) {
      source = Source.STEALING_QUEUE;
      return victim.stealing.poll();
    }
    source = Source.SHARED_LANE;
    lane = victim.queue.laneForThief();
    Color color = victim.queue.poll(lane);
    if (color == null) {
      source = Source.OWN_LANE;
      color = victim.queue.own().find(victim.index, lookedAt);
    }
    return color;
  }

  /**
   * Whether to look into the stealing-queue. At a stuck core both queues are searched in turn: its
   * handler may block, so that nothing else would ever run the colors of its core-queue; or it may
   * be registering many events, and the worthy colors win more then.
   */
  private boolean looksForWorthy(Core victim) {
    return switch (as) {
      case WORTHY, RELIEF -> true;
      case BASE, BACKLOG -> false;
      case STUCK -> source != Source.STEALING_QUEUE && !victim.stealing.isEmpty();
    };
  }

  /** An entry of the stealing-queue: stale if the color has run, moved, or lost its work since. */
  private boolean takeWorthy(Core victim, Color color) {
    if (price.isWorthy(color.weight())
        && self.queue.couldRun(color)
        && color.claim(victim.index, self.index)) {
      win(victim, color);
      return true;
    }
    if (mode == Steal.Mode.RELIEF && ++refused >= MAX_REFUSED) {
      pass(); // own colors wait
    }
    return false;
  }

  /**
   * An entry of the core-queue, which is put back if the color may not be taken. Base stealing
   * takes the first color that holds less than half of the core's events; from a stuck core, any
   * color may be taken.
   */
  private boolean take(Core victim, Color color) {
    if (!color.isQueuedAt(victim.index)) {
      return false; // stale
    }
    boolean may =
        as == Steal.Mode.STUCK || (holdsLessThanHalf(victim, color) && self.queue.couldRun(color));
    if (may && !color.isPinned() && color.claim(victim.index, self.index)) {
      win(victim, color);
      return true;
    }
    refuse(victim, color);
    return false;
  }

  private static boolean holdsLessThanHalf(Core victim, Color color) {
    // Events are not counted per core, since that would cost every producer an atomic. Each other
    // entry stands for one event or more, and so does the color that is running: a lower bound.
    // The running color's event makes up for the one that activated this color, which its count
    // leaves out.
    return color.pendingCount() <= victim.queue.size();
  }

  /** Puts a refused entry back at the tail; after a round of refusals, goes to the next victim. */
  private void refuse(Core victim, Color color) {
    if (source == Source.SHARED_LANE) {
      victim.queue.putBack(color, lane);
      // Without the entry the victim may have found its queue empty and parked.
      context.idle().wakeHome(victim);
    }
    if (as == Steal.Mode.BACKLOG) {
      price.doubleBacklog(); // the color has lost its turn in vain
    }
    if (++refused > Math.min(MAX_REFUSED, victim.queue.size())) {
      pass();
    }
  }

  private void win(Core victim, Color color) {
    self.counters.stealsWon++;
    self.counters.stolenFrom[victim.index]++;
    if (as == Steal.Mode.STUCK) {
      self.counters.takeovers++;
    }
    int waiting = as == Steal.Mode.BACKLOG ? 1 + victim.queue.size() : 0;
    steal.win(color, victim, as, waiting, context.host().nanos());
  }
}
