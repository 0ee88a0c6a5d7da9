package dev.mely.bench.sim;

import dev.mely.VirtualRuntime;
import java.util.Arrays;

/**
 * Cores that have searched in vain and look at their own queues alone until the next round of looks
 * at victims, or until they park. These looks are not made one by one: a rest ends when its time is
 * over, or when something waits in the core's queue.
 */
final class Rests {
  private static final long NONE = -1;

  private final Simulation simulation;
  private final VirtualRuntime runtime;
  private final Clock clock;
  private final long lookPicos;

  /** By core: when its rest began. */
  private final long[] since;

  Rests(Simulation simulation, VirtualRuntime runtime) {
    Machine machine = simulation.machine();
    this.simulation = simulation;
    this.runtime = runtime;
    this.clock = machine.clock();
    this.lookPicos = Machine.picos(machine.costs.look());
    this.since = new long[machine.cores()];
    Arrays.fill(since, NONE);
  }

  /** The core that acts rests, unless it is to look around at once. Returns until when. */
  long begin(int core) {
    int spins = runtime.spins(core);
    int round = spins + 1;
    while (round <= runtime.maxSpins() && !runtime.looksAround(round)) {
      round++;
    }
    int each = runtime.victims(core).length;
    long looks = (long) (round - spins) * each - runtime.place(core);
    since[core] = looks > 0 ? clock.now() : NONE;
    return clock.now() + looks * lookPicos;
  }

  /** Something waits in a core's own queue. */
  void filled(int core) {
    if (since[core] != NONE) {
      simulation.wake(core, 0);
    }
  }

  /** The core acts: it rests no longer, if it did. */
  void end(int core) {
    if (since[core] != NONE) {
      passed(core, (clock.now() - since[core]) / lookPicos);
      since[core] = NONE;
    }
  }

  /**
   * Counts looks of the core that found nothing, and moves its thief on in the runtime by as many.
   */
  void passed(int core, long looks) {
    int each = runtime.victims(core).length;
    long walked = runtime.place(core) + looks;
    int rounds = walked <= each ? 0 : Math.toIntExact((walked - 1) / each);
    int place = Math.toIntExact(walked - (long) rounds * each);
    runtime.wentRound(core, place, rounds, 0, clock.now() / Machine.NANO);
  }
}
