package dev.mely.bench.sim;

import dev.mely.Handler;
import dev.mely.bench.baseline.Job;
import java.util.SplittableRandom;

/**
 * Colors whose event registers itself again: what the cores have to do stays the same for as long
 * as anybody looks.
 *
 * <p>The chains of libasync-smp's paper are 16 of them, on all cores but the first (USENIX 2003,
 * Table 2). Its tasks are small, but a library's; here they work as long as the rate without
 * stealing, on four processors of 500 MHz, asks for.
 */
final class Chains extends Rounds {
  private final SplittableRandom random;
  private final Plan plan;

  /**
   * What is played.
   *
   * @param count how many chains
   * @param perCore whether there are so many for each core
   * @param firstCore the first of the cores that have some, if there are so many
   * @param cycles what each works, in cycles of 2.33 GHz
   * @param exponential whether that is only the mean of what is drawn
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
    return Integer.MAX_VALUE; // they never end
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
