package dev.mely;

import dev.mely.jit.OwnCompilation;

/**
 * Decides whether to wake a thief that sleeps: the one place, with all reasons. A thief takes 15 to
 * 35 microseconds to wake up, and costs its caller one to three.
 *
 * <pre>
 *   offered    a color is worth a steal, and holds 50 us, or several together hold 300 us;
 *              without costs: four colors wait
 *   not alone  nothing waited at a core beside a color, so that no thief was woken for it; now
 *              something does, or the core turns to one that is stuck
 *   found      a thief has found work, and there is more
 *   proved     a steal from a backlog was worth it, and half as many colors would still be enough
 *   waiting    a busy core has twice as many colors in line as a steal from a backlog demands
 *   unwatched  workers sleep, and none of them looks for cores that are stuck
 * </pre>
 *
 * <p>No thief is called while one searches near the victim: see {@link IdleCores}. Any thread.
 */
final class ThiefCalls {
  /** A color with this much pending work is worth waking a thief. */
  private static final long ONE_COLOR_NANOS = 50_000;

  /** In several colors, this much stealable work is. */
  private static final long SEVERAL_COLORS_NANOS = 300_000;

  /** Without costs, this many stealable colors are. */
  private static final int COLORS = 4;

  private final StealPolicy policy;
  private final boolean choosesAgain;
  private final StealPrice price;
  private final IdleCores idle;
  private final Cores cores;

  ThiefCalls(Settings settings, StealPrice price, IdleCores idle, Cores cores) {
    this.policy = settings.policy;
    this.choosesAgain = settings.choosesAgain;
    this.price = price;
    this.idle = idle;
    this.cores = cores;
  }

  /**
   * Offers a color that waits at a core to all thieves, by an entry in its stealing-queue, and
   * wakes one.
   *
   * @param timeLeft the weight of its pending events, worth a steal
   */
  @OwnCompilation
  void offer(Color color, Core core, long timeLeft) {
    enter(color, core, timeLeft);
    if (idle.mayCallThief(core) && isEnough(core, timeLeft)) {
      call(core);
    }
  }

  /** Offers it to thieves that are awake. */
  void enter(Color color, Core core, long timeLeft) {
    if (policy.usesStealingQueue()) {
      core.stealing.offer(color, price.interval(timeLeft));
    }
  }

  /** Whether what a color holds, or all that wait at the core, is worth waking a thief. */
  boolean isEnough(Core core, long timeLeft) {
    if (!policy.usesStealingQueue()) {
      return core.queue.size() >= COLORS;
    }
    if (!policy.isOn(StealPolicy.Heuristic.TIME_LEFT)) {
      return core.stealing.size() >= COLORS;
    }
    return timeLeft >= ONE_COLOR_NANOS || core.stealing.size() * timeLeft >= SEVERAL_COLORS_NANOS;
  }

  /** Whether a thief could be called to this core: to be asked before looking for more work. */
  boolean mayCall(Core core) {
    return idle.mayCallThief(core);
  }

  /** Wakes a thief near a core if none searches there: found, proved, not alone. */
  void another(Core core) {
    if (mayCall(core)) {
      call(core);
    }
  }

  /**
   * By a busy worker, now and then: much may wait here that is not worthy. Doubles the threshold in
   * advance; a steal that proves itself halves it.
   */
  void waiting(Core core) {
    if (policy.isOn(StealPolicy.Heuristic.TIME_LEFT)
        && choosesAgain
        && idle.mayCallThief(core)
        && price.isLong(core.queue.size() / 2)) {
      price.doubleBacklog();
      call(core);
    }
  }

  /** A worker goes to work: one that sleeps must become a watcher. */
  void unwatched(Core core) {
    if (idle.idle() > 0 && !idle.isWatched()) {
      call(core);
    }
  }

  private void call(Core core) {
    idle.callThief(core, cores.neighbors(core));
  }
}
