package dev.mely.bench.sim;

import dev.mely.Handler;
import dev.mely.bench.baseline.Job;
import java.util.SplittableRandom;

/**
 * Colors whose event registers itself again: a constant, endless load.
 *
 * <p>The chains of libasync-smp's paper are 16 of them, on all cores except the first (USENIX 2003,
 * Table 2). The work per task is fitted to its rate without stealing, on four processors of 500
 * MHz.
 */
final class Chains extends Rounds {
  private final SplittableRandom random;
  private final Plan plan;

  /**
   * The chains to run.
   *
   * @param count number of chains
   * @param perCore whether the number is per core
   * @param firstCore the first core with chains, if the machine has that many cores
   * @param cycles work per event, in cycles of 2.33 GHz
   * @param exponential whether {@code cycles} is the mean of an exponential distribution
   */
  record Plan(int count, boolean perCore, int firstCore, double cycles, boolean exponential) {}

  Chains(Simulation simulation, Plan plan, long seed) {
    super(simulation);
    this.plan = plan;
    this.random = new SplittableRandom(seed);
    Handler<Job> kind = simulation.runtime().kind(cost(plan.cycles()), 1);
    int cores = simulation.machine().cores();
    int first = Math.min(plan.firstCore(), cores - 1);
    int chains = plan.perCore() ? plan.count() * cores : plan.count();
    for (int i = 0; i < chains; i++) {
      int core = first + i % (cores - first);
      Object color = simulation.runtime().newColor(core);
      add(color, core, new Link(kind, color));
    }
  }

  @Override
  int events() {
    return Integer.MAX_VALUE; // endless
  }

  @Override
  long wholeRounds(long atLeast) {
    return atLeast;
  }

  private final class Link extends Task {
    private final Object color;

    Link(Handler<Job> kind, Object color) {
      super(simulation, kind);
      this.color = color;
    }

    @Override
    void work(Machine machine) {
      double share = plan.exponential() ? -Math.log(1 - random.nextDouble()) : 1;
      machine.spend(nanos(plan.cycles() * share));
    }

    @Override
    boolean goOn() {
      simulation.register(color, this);
      return false;
    }
  }
}
