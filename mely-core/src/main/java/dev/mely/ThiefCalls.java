package dev.mely;

import dev.mely.StealPolicy.Heuristic;
import dev.mely.jit.OwnCompilation;

/**
 * Decides whether to wake a thief that sleeps: the one place, with all reasons. A thief takes 15 to
 * 35 microseconds to wake up, and costs its caller one to three.
 *
 * <pre>
 *   offered    a color is worth a steal, and holds 50 us, or several together hold 300 us;
 *              without costs: four colors wait
 *   found      a thief has found work, and there is more
 *   proved     a steal from a backlog was worth it, and half as many colors would still be enough
 *   waiting    a busy core has twice as many colors in line as a steal from a backlog demands
 *   unwatched  workers sleep, and nobody among them looks for cores that are stuck
 * </pre>
 *
 * <p>Nobody is called while one searches near the victim: see {@link IdleCores}. Any thread.
 */
final class ThiefCalls {
  /** A color with this much pending work is worth waking a thief. */
  private static final long ONE_COLOR_NANOS = 50_000;

  /** So much stealable work in several colors is. */
  private static final long SEVERAL_COLORS_NANOS = 300_000;

  /** Without costs, so many stealable colors are. */
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
   * Offers a color that waits at a core to all thieves, by an entry in its stealing-queue.
   *
   * @param timeLeft the weight of its pending events, worth a steal
   */
  @OwnCompilation
  void offer(Color color, Core core, long timeLeft) {
    if (policy.usesStealingQueue()) {
      core.stealing.offer(color, price.interval(timeLeft));
    }
    if (idle.mayCallThief(core) && isEnough(core, timeLeft)) {
      call(core);
    }
  }

  private boolean isEnough(Core core, long timeLeft) {
    if (!policy.usesStealingQueue()) {
      return core.queue.size() >= COLORS;
    }
    if (!policy.isOn(Heuristic.TIME_LEFT)) {
      return core.stealing.size() >= COLORS;
    }
    return timeLeft >= ONE_COLOR_NANOS || core.stealing.size() * timeLeft >= SEVERAL_COLORS_NANOS;
  }

  /** Whether it is worth a look if there is work for another thief. */
  boolean mayCall(Core core) {
    return idle.mayCallThief(core);
  }

  /** A thief has found work, and sees more; or has proved that there is more. */
  void another(Core thief) {
    if (mayCall(thief)) {
      call(thief);
    }
  }

  /**
   * The core is busy, and some time has passed: much may wait here that is not worthy. On credit:
   * until a steal has proved itself, the next call takes twice as many.
   */
  void waiting(Core core) {
    if (policy.isOn(Heuristic.TIME_LEFT)
        && choosesAgain
        && idle.mayCallThief(core)
        && price.isLong(core.queue.size() / 2)) {
      price.doubleBacklog();
      call(core);
    }
  }

  /** A worker goes to work: somebody who sleeps must watch. */
  void unwatched(Core core) {
    if (idle.idle() > 0 && !idle.isWatched()) {
      call(core);
    }
  }

  private void call(Core core) {
    idle.callThief(core, cores.neighbors(core));
  }
}
