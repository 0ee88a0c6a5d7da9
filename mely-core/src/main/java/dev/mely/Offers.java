package dev.mely;

import dev.mely.jit.Boundary;

/**
 * What is worth stealing is offered to thieves: to all of them by its entry in the stealing-queue
 * of its core, and to one that sleeps if there is enough work to wake it for. A thief takes 15 to
 * 35 microseconds to wake up, and costs its caller one to three.
 *
 * <p>Any thread.
 */
final class Offers {
  /** A color with this much waiting work is worth waking a sleeping thief at once. */
  private static final long WAKE_NANOS = 50_000;

  /** So much stealable work in several colors is. */
  private static final long WAKE_BACKLOG_NANOS = 300_000;

  /** Without costs, so many stealable colors are. */
  private static final int WAKE_COLORS = 4;

  private final StealPolicy policy;
  private final Worthiness worthiness;
  private final IdleCores idle;

  /** For each core, the others in the order in which they are called. */
  private final Core[][] neighbors;

  Offers(StealPolicy policy, Worthiness worthiness, IdleCores idle, Core[][] neighbors) {
    this.policy = policy;
    this.worthiness = worthiness;
    this.idle = idle;
    this.neighbors = neighbors;
  }

  /**
   * Offers a color that waits at a core.
   *
   * @param timeLeft the weight of its pending events, worth a steal
   */
  void offer(Color color, Core core, long timeLeft) {
    if (Boundary.FILLS) {
      Boundary.fill(
          0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
          0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
          0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    }
    if (policy.usesStealingQueue()) {
      core.stealing.offer(color, worthiness.interval(timeLeft));
      if (idle.mayCallThief(core) && isWorthWaking(core, timeLeft)) {
        idle.callThief(core, neighbors[core.index]);
      }
    } else if (idle.mayCallThief(core) && core.queue.size() >= WAKE_COLORS) {
      idle.callThief(core, neighbors[core.index]);
    }
  }

  private boolean isWorthWaking(Core core, long timeLeft) {
    if (!policy.timeLeft()) {
      return core.stealing.size() >= WAKE_COLORS;
    }
    return timeLeft >= WAKE_NANOS || core.stealing.size() * timeLeft >= WAKE_BACKLOG_NANOS;
  }
}
