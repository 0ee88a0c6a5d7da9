package dev.mely;

import org.jspecify.annotations.Nullable;

/**
 * The stealing side of one worker: Figure 2 of the Mely paper, with the heuristics of section III.
 *
 * <pre>
 *   construct_core_set      VictimOrder
 *   can_be_stolen           the victim's stealing-queue, or two colors in its core-queue
 *   choose_color_to_steal   a worthy color of the highest interval, or the first with less than
 *                           half of the events
 *   construct_event_set     nothing to do: the color is its queue
 *   migrate                 Color.claim: one compare-and-set
 * </pre>
 *
 * <p>Owned by one worker. Each {@link #visit} looks at one entry of one victim.
 */
final class Thief {
  private final Scheduler scheduler;
  private final Core self;
  private final VictimOrder order;
  private final Counters counters;
  private final Watch watch;

  private int[] victims = new int[0];
  private int next;
  private int refused;
  private long average = Worthiness.INITIAL_STEAL_NANOS;

  Thief(Scheduler scheduler, Core self, Counters counters, Watch watch) {
    this.scheduler = scheduler;
    this.self = self;
    this.counters = counters;
    this.watch = watch;
    this.order = new VictimOrder(self.index, scheduler.cores(), scheduler.settings.distance());
  }

  /** Whether a search could find something: cheap, and never wrong about worthy colors. */
  boolean seesPrey() {
    for (Core victim : scheduler.neighbors(self)) {
      if (canBeStolen(victim) || watch.isStuck(victim)) {
        return true;
      }
    }
    return false;
  }

  /** Begins a search: orders the victims. */
  void start() {
    victims = order.victims(core -> scheduler.core(core).queue.size());
    next = 0;
    refused = 0;
    counters.stealsTried++;
  }

  /** Whether there is a victim left to visit. */
  boolean hasNext() {
    return next < victims.length;
  }

  /**
   * Looks at one entry of the current victim, and moves on if there is nothing to take.
   *
   * @return a color that is RUNNING here now, or null
   */
  @Nullable Color visit() {
    Core victim = scheduler.core(victims[next]);
    if (watch.isStuck(victim)) {
      return relieve(victim);
    }
    if (!canBeStolen(victim)) {
      next++;
      return null;
    }
    return scheduler.policy.usesStealingQueue() ? takeWorthy(victim) : takeLight(victim);
  }

  private boolean canBeStolen(Core victim) {
    return scheduler.policy.usesStealingQueue()
        ? !victim.stealing.isEmpty()
        : victim.queue.size() >= 2;
  }

  private @Nullable Color takeWorthy(Core victim) {
    Color color = victim.stealing.poll();
    if (color == null) {
      next++;
      return null;
    }
    if (scheduler.worthiness.isWorthy(color.weight()) && color.claim(victim.index, self.index)) {
      counters.stealsWon++;
      return color;
    }
    return null; // stale: the color has run, moved, or lost its work since
  }

  /** Base stealing: the first color that holds less than half of the core's events. */
  private @Nullable Color takeLight(Core victim) {
    Color color = victim.queue.poll();
    if (color == null) {
      next++;
      return null;
    }
    if (!color.isQueuedAt(victim.index)) {
      return null; // stale
    }
    // Events are not counted per core, since that would cost every producer an atomic. Each other
    // entry stands for one event or more, and so does the color that is running: a lower bound.
    long others = (long) victim.queue.size() + (victim.isParked() ? 0 : 1);
    if (!color.isPinned() && color.weight() <= others && color.claim(victim.index, self.index)) {
      counters.stealsWon++;
      return color;
    }
    putBack(victim, color);
    return null;
  }

  /** Takes any color of a core that is stuck, after looking for its external events. */
  private @Nullable Color relieve(Core victim) {
    if (refused == 0) {
      scheduler.fireTimers(victim, scheduler.host.nanos());
      if (victim.poller.isTransferable() && victim.tryLockPoller()) {
        try {
          counters.polls++;
          victim.poller.poll(0);
        } catch (Throwable t) {
          scheduler.settings.errors().report(null, victim.poller, t);
        } finally {
          victim.unlockPoller();
        }
      }
    }
    Color color = victim.queue.poll();
    if (color == null) {
      next++;
      refused = 0;
      return null;
    }
    if (!color.isPinned() && color.claim(victim.index, self.index)) {
      counters.stealsWon++;
      counters.takeovers++;
      return color;
    }
    if (color.isQueuedAt(victim.index)) {
      putBack(victim, color);
    } else {
      refused++;
    }
    return null;
  }

  /** Not for us: to the tail, and after a round of refusals to the next victim. */
  private void putBack(Core victim, Color color) {
    victim.queue.offer(color);
    // While the entry was in our hands the victim may have found its queue empty and parked.
    scheduler.idle.wakeHome(victim);
    if (++refused > Math.min(4, victim.queue.size())) {
      next++;
      refused = 0;
    }
  }

  /** Takes note of what the last steal cost and won, in nanoseconds. */
  void account(long stealNanos, long stolenNanos) {
    counters.stealNanos += stealNanos;
    counters.stolenNanos += stolenNanos;
    average = scheduler.worthiness.observeSteal(average, stealNanos);
  }
}
