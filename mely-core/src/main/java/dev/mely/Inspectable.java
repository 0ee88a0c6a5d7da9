package dev.mely;

import dev.mely.stage.StageGraph;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What people may see of a runtime while it runs: figures, stages, text. It stops nobody, so what
 * is said of different cores need not have been true at one instant. Any thread.
 */
abstract class Inspectable {
  final Scheduler scheduler;

  /** Null: none are reported. */
  final @Nullable BlockedHandlers blockedHandlers;

  /** By number of the core. */
  private final int[] cpus;

  Inspectable(Scheduler scheduler, int[] cpus) {
    this.scheduler = scheduler;
    this.blockedHandlers = BlockedHandlers.of(scheduler, scheduler.settings);
    this.cpus = cpus.clone();
  }

  /**
   * Returns the CPU that a core's worker is meant for.
   *
   * @param core number of the core, from 0
   * @return the operating system's number of the CPU
   * @throws IllegalArgumentException if there is no such core
   */
  public int cpu(int core) {
    return cpus[scheduler.host.check(core)];
  }

  /**
   * Returns which heuristics are on.
   *
   * @return the policy that the runtime was built with
   */
  public StealPolicy policy() {
    return scheduler.policy;
  }

  /**
   * Returns what the cores have done so far.
   *
   * @return a snapshot
   */
  public Statistics statistics() {
    List<Statistics.PerCore> cores = new ArrayList<>();
    long now = scheduler.host.nanos();
    for (int i = 0; i < scheduler.cores(); i++) {
      long blocked = blockedHandlers == null ? 0 : blockedHandlers.reports(i);
      cores.add(Statistics.PerCore.of(scheduler.core(i), now, blocked));
    }
    Overload overload = scheduler.overload;
    return overload == null
        ? new Statistics(cores, 0, 0, 0)
        : new Statistics(cores, overload.refused(), overload.dropped(), overload.blocked());
  }

  /**
   * Returns how many colors wait for a core: the length of its queue.
   *
   * @param core number of the core, from 0
   * @return a recent number; may count some colors that have been stolen
   * @throws IllegalArgumentException if there is no such core
   */
  public int colorsWaiting(int core) {
    return scheduler.core(scheduler.host.check(core)).queue.size();
  }

  /**
   * Returns what the runtime takes a steal to cost now: a color with less work than this is not
   * worth stealing.
   *
   * @return nanoseconds
   */
  public long stealCostNanos() {
    return scheduler.price.stealNanos();
  }

  /**
   * Returns the program's stages as recorded so far: which handler registers which, what each
   * costs, allocates and frees. A timer counts as registered once, by whoever has scheduled it.
   *
   * @return a snapshot
   * @throws IllegalStateException if they are not recorded, see {@link MelyBuilder#recordStages}
   */
  public StageGraph stages() {
    if (scheduler.stages == null) {
      throw new IllegalStateException("the runtime was built without recordStages(true)");
    }
    return scheduler.stages.graph();
  }

  /**
   * Returns whether pending events are bounded, by {@link MelyBuilder#maxPending} or {@link
   * MelyBuilder#maxPendingPerColor}.
   *
   * @return false: an event is never refused for want of room
   */
  public boolean isBounded() {
    return scheduler.overload != null;
  }

  /**
   * Returns whether the runtime has come to rest: no event runs and none waits. Timers that are not
   * due do not count. True of one instant: an event that another thread registers ends it.
   *
   * @return false while any worker is awake
   */
  public boolean isQuiescent() {
    return new Quiescence(scheduler).isQuiescent();
  }

  /**
   * Describes what each core does at this moment, and the machine, for people: what it runs, and
   * for how long if it is stuck; what waits, lane by lane; its timers; its hottest colors; and the
   * statistics. Stops nobody: what is said of different cores, or even of one, need not have been
   * true at one instant. Fit for production.
   *
   * @return several lines of text; their form may change
   */
  public String dump() {
    return new Dump(scheduler, blockedHandlers, cpus).text() + statistics();
  }
}
