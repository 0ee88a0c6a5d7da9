package dev.mely.bench.sim;

import dev.mely.Handler;
import dev.mely.bench.baseline.Job;
import java.util.ArrayList;
import java.util.List;

/**
 * The paper's {@code penalty}: events A on core 0, of distinct colors, each of which fills an array
 * that fits the cache, and starts a chain of events B of its color, which have a penalty of 1000
 * and read one part of the array each (Mely, section V-B (f); Table V).
 *
 * <p>The paper gives neither size nor number of the arrays. Here there are 150 of 24 KB, read in 16
 * parts: all fit the cache of two cores, and the events' duration is about that of Table V's first
 * figure.
 */
final class Penalty extends Rounds {
  private static final int CHAINS = 150;
  private static final int LINKS = 16;
  private static final int PART_BYTES = 1_536;
  private static final int PENALTY = 1_000;

  private static final double WORK_OF_A = 4_000;

  /** Declared costs of A and B: their work, with their data in the shared cache. */
  private static final double COST_OF_A = 9_760;

  private static final double COST_OF_B = 360;

  Penalty(Simulation simulation) {
    super(simulation);
    Handler<Job> a = simulation.runtime().kind(cost(COST_OF_A), 1);
    Handler<Job> b = simulation.runtime().kind(cost(COST_OF_B), PENALTY);
    for (int i = 0; i < CHAINS; i++) {
      Object color = simulation.runtime().newColor(0);
      add(color, 0, new Chain(a, b, color));
    }
  }

  @Override
  int events() {
    return CHAINS * (1 + LINKS);
  }

  /** Event A. */
  private final class Chain extends Task {
    private final Object color;
    private final List<Block> array = new ArrayList<>();
    private final List<Link> links = new ArrayList<>();

    Chain(Handler<Job> a, Handler<Job> b, Object color) {
      super(simulation, a);
      this.color = color;
      for (int i = 0; i < LINKS; i++) {
        array.add(new Block(PART_BYTES));
        links.add(new Link(b, this, i));
      }
    }

    @Override
    void work(Machine machine) {
      machine.spend(nanos(WORK_OF_A));
      array.forEach(machine::touch);
    }

    @Override
    boolean goOn() {
      simulation.register(color, links.get(0));
      ended();
      return false;
    }
  }

  /** Event B. */
  private final class Link extends Task {
    private final Chain chain;
    private final int at;

    Link(Handler<Job> b, Chain chain, int at) {
      super(simulation, b);
      this.chain = chain;
      this.at = at;
    }

    @Override
    void work(Machine machine) {
      machine.touch(chain.array.get(at));
    }

    @Override
    boolean goOn() {
      if (at + 1 < LINKS) {
        simulation.register(chain.color, chain.links.get(at + 1));
      }
      ended();
      return false;
    }
  }
}
