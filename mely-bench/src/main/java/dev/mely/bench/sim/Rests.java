package dev.mely.bench.sim;

import dev.mely.VirtualRuntime;
import java.util.Arrays;

/**
 * Skips the looks of idle cores between two searches: after a failed search, a core looks only at
 * its own queue until the next search or park. Such a rest is one step, which ends at its time
 * limit or when an event arrives in the core's queue.
 */
final class Rests {
  private static final long NONE = -1;

  private final Simulation simulation;
  private final VirtualRuntime runtime;
  private final Clock clock;
  private final long lookPicos;

  /** By core: start of its rest. */
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

  /** Starts a rest of the current core, unless its next search is due. Returns its end. */
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

  /** An event has arrived in a core's own queue: ends its rest. */
  void filled(int core) {
    if (since[core] != NONE) {
      simulation.wake(core, 0);
    }
  }

  /** The core acts: ends its rest, if any. */
  void end(int core) {
    if (since[core] != NONE) {
      passed(core, (clock.now() - since[core]) / lookPicos);
      since[core] = NONE;
    }
  }

  /** Counts failed looks of the core, and advances its thief in the runtime accordingly. */
  void passed(int core, long looks) {
    int each = runtime.victims(core).length;
    long walked = runtime.place(core) + looks;
    int rounds = walked <= each ? 0 : Math.toIntExact((walked - 1) / each);
    int place = Math.toIntExact(walked - (long) rounds * each);
    runtime.wentRound(core, place, rounds, 0, clock.now() / Machine.NANO);
  }
}
