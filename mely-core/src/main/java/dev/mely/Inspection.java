package dev.mely;

import dev.mely.report.CoreState;
import dev.mely.report.Statistics;
import dev.mely.stage.StageGraph;
import org.jspecify.annotations.Nullable;

/**
 * A view of a runtime for people and tools: figures, stages, text. Made by {@link Mely#inspect}.
 *
 * <p>Thread-safe. No method stops a worker, so what is said of different cores need not have been
 * true at the same instant.
 */
public final class Inspection {
  private final Scheduler scheduler;
  private final FreshColors freshColors;
  private final Shutdown ending;

  /** Null: blocked handlers are not reported. */
  private final @Nullable BlockedHandlers blockedHandlers;

  /** The CPU of each core, by number of the core. */
  private final int[] cpus;

  Inspection(
      Scheduler scheduler,
      FreshColors freshColors,
      Shutdown ending,
      @Nullable BlockedHandlers blockedHandlers,
      int[] cpus) {
    this.scheduler = scheduler;
    this.freshColors = freshColors;
    this.ending = ending;
    this.blockedHandlers = blockedHandlers;
    this.cpus = cpus.clone();
  }

  // ---- How the runtime was built

  /**
   * Returns the number of cores.
   *
   * @return 1 or more
   */
  public int cores() {
    return scheduler.cores();
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
   * Returns whether the number of pending events is bounded, by {@link MelyBuilder#maxPending} or
   * {@link MelyBuilder#maxPendingPerColor}.
   *
   * @return false: no event is ever refused for lack of room
   */
  public boolean isBounded() {
    return scheduler.overload != null;
  }

  // ---- What it does now

  /**
   * Returns the core whose worker is calling.
   *
   * @return its number, or -1 on any other thread
   */
  public int currentCore() {
    Core core = scheduler.currentCore();
    return core == null ? -1 : core.index;
  }

  /**
   * Returns what the cores have done so far.
   *
   * @return a snapshot
   */
  public Statistics statistics() {
    return Snapshot.of(scheduler, blockedHandlers);
  }

  /**
   * Returns what a core does at this moment, for tools that look many times a second: it costs some
   * microseconds of the calling thread, and nothing of the worker.
   *
   * @param core number of the core, from 0
   * @param mostWaiting how many colors are read of each lane of its core-queue, 0 or more
   * @return a snapshot
   * @throws IllegalArgumentException if there is no such core, or the number is negative
   */
  public CoreState state(int core, int mostWaiting) {
    if (mostWaiting < 0) {
      throw new IllegalArgumentException("mostWaiting must be 0 or more, but is " + mostWaiting);
    }
    int index = scheduler.host.check(core);
    return SeenCore.of(scheduler.core(index), mostWaiting, scheduler.host.thread(index));
  }

  /**
   * Returns how many colors wait for a core: the length of its core-queue.
   *
   * @param core number of the core, from 0
   * @return a recent number; may count some colors that have been stolen
   * @throws IllegalArgumentException if there is no such core
   */
  public int colorsWaiting(int core) {
    return scheduler.core(scheduler.host.check(core)).queue.size();
  }

  /**
   * Returns the core at which the color of long work had better begin: that of the worker which
   * calls, or another one that is drawn, whichever has fewer colors waiting. On other threads both
   * are drawn. Short work begins at the worker's own core: {@code newColor(currentCore())}.
   *
   * <pre>{@code
   * Color render = mely.newColor(mely.inspect().emptierCore());
   * }</pre>
   *
   * @return its number, for {@link Mely#newColor(int)}
   */
  public int emptierCore() {
    return freshColors.emptierCore(scheduler.currentCore());
  }

  /**
   * Returns the current estimate of what one steal costs: a color with less pending work than this
   * is not worth stealing.
   *
   * @return nanoseconds
   */
  public long stealCostNanos() {
    return scheduler.price.stealNanos();
  }

  /**
   * Returns the program's stages as recorded so far: which handler registers which, and what each
   * costs, allocates and frees. A timer counts as one registration, by the handler that scheduled
   * it.
   *
   * @return a snapshot
   * @throws IllegalStateException if stages are not recorded, see {@link MelyBuilder#recordStages}
   */
  public StageGraph stages() {
    if (scheduler.stages == null) {
      throw new IllegalStateException("the runtime was built without recordStages(true)");
    }
    return scheduler.stages.graph();
  }

  /**
   * Returns whether the runtime has come to rest: no event runs and none waits. Timers that are not
   * due do not count. The answer holds for one instant: any thread may register an event after it.
   *
   * @return false while any worker is awake
   */
  public boolean isQuiescent() {
    return new Quiescence(scheduler).isQuiescent();
  }

  /**
   * Returns whether all workers have ended.
   *
   * @return true from then on
   */
  public boolean isTerminated() {
    return ending.isTerminated();
  }

  /**
   * Describes for people what each core does at this moment: which handler it runs, and for how
   * long if it is stuck; what waits in each lane of its queue; its timers; its hottest colors; then
   * the machine and the statistics. Different lines, and even different words of one line, may be
   * of slightly different instants. Fit for production.
   *
   * @return lines of at most 120 columns; their form may change
   */
  public String dump() {
    return new Dump(scheduler, blockedHandlers, cpus).text() + statistics();
  }
}
