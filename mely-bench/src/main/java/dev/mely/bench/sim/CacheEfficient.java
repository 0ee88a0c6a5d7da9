package dev.mely.bench.sim;

import dev.mely.Handler;
import dev.mely.bench.baseline.Job;

/**
 * The paper's {@code cache efficient}: one of every two cores that share a cache starts with a
 * hundred events A. Each fills an array and registers two events B, of other colors, each of which
 * sorts a half and then registers an event C of A's color; the second C merges (Mely, section V-B
 * (g); Table VI).
 *
 * <p>The paper does not give the arrays' size. Here they have 3 KB, so that stealing that ignores
 * caches has about as many misses as in Table VI; the events' work is fitted to its first figure.
 */
final class CacheEfficient extends Rounds {
  private static final int SORTS = 100;
  private static final int EVENTS = 5;
  private static final int HALF_BYTES = 1_536;
  private static final double WORK_OF_A = 3_000;
  private static final double WORK_OF_B = 11_240;
  private static final double WORK_OF_MERGE = 5_000;
  private static final double COST_OF_A = 3_700;
  private static final double COST_OF_B = 11_600;
  private static final double COST_OF_C = 3_000;

  private int sorts;

  CacheEfficient(Simulation simulation) {
    super(simulation);
    Handler<Job> a = simulation.runtime().kind(cost(COST_OF_A), 1);
    Handler<Job> b = simulation.runtime().kind(cost(COST_OF_B), 1);
    Handler<Job> c = simulation.runtime().kind(cost(COST_OF_C), 1);
    Machine machine = simulation.machine();
    for (int core = 0; core < machine.cores(); core++) {
      if (hasNoNeighborBefore(machine, core)) {
        for (int i = 0; i < SORTS; i++) {
          Sort sort = new Sort(a, b, c, core);
          add(sort.color, core, sort);
          sorts++;
        }
      }
    }
  }

  /** Whether a core is the first among those nearest to each other. */
  private static boolean hasNoNeighborBefore(Machine machine, int core) {
    int nearest = Integer.MAX_VALUE;
    int neighbor = core;
    for (int other = 0; other < machine.cores(); other++) {
      if (other != core && machine.distance(core, other) < nearest) {
        nearest = machine.distance(core, other);
        neighbor = other;
      }
    }
    return neighbor >= core;
  }

  @Override
  int events() {
    return sorts * EVENTS;
  }

  /** Event A. */
  private final class Sort extends Task {
    private final int core;
    private final Object color;
    private final Half left;
    private final Half right;
    private int joined;
    private boolean forked;

    Sort(Handler<Job> a, Handler<Job> b, Handler<Job> c, int core) {
      super(simulation, a);
      this.core = core;
      this.color = simulation.runtime().newColor(core);
      this.left = new Half(b, new Join(c, this), this);
      this.right = new Half(b, new Join(c, this), this);
    }

    @Override
    void work(Machine machine) {
      machine.spend(nanos(WORK_OF_A));
      machine.touch(left.data);
      machine.touch(right.data);
      joined = 0;
      forked = false;
    }

    @Override
    boolean goOn() {
      Half half = forked ? right : left;
      simulation.runtime().moveTo(half.color, core);
      simulation.register(half.color, half);
      forked = !forked;
      if (!forked) {
        ended();
      }
      return forked;
    }
  }

  /** Event B. */
  private final class Half extends Task {
    private final Object color;
    private final Join join;
    private final Sort sort;
    private final Block data = new Block(HALF_BYTES);

    Half(Handler<Job> b, Join join, Sort sort) {
      super(simulation, b);
      this.join = join;
      this.sort = sort;
      this.color = simulation.runtime().newColor(sort.core);
    }

    @Override
    void work(Machine machine) {
      machine.spend(nanos(WORK_OF_B));
      machine.touch(data);
    }

    @Override
    boolean goOn() {
      simulation.register(sort.color, join);
      ended();
      return false;
    }
  }

  /** Event C. */
  private final class Join extends Task {
    private final Sort sort;

    Join(Handler<Job> c, Sort sort) {
      super(simulation, c);
      this.sort = sort;
    }

    @Override
    void work(Machine machine) {
      if (++sort.joined == 2) {
        machine.spend(nanos(WORK_OF_MERGE));
        machine.touch(sort.left.data);
        machine.touch(sort.right.data);
      }
    }

    @Override
    boolean goOn() {
      ended();
      return false;
    }
  }
}
