package dev.mely.bench.sim;

import dev.mely.Handler;
import dev.mely.bench.baseline.Job;
import java.util.SplittableRandom;

/**
 * The paper's {@code unbalanced}: 50,000 events of distinct colors, all registered on core 0; 98 %
 * take 100 cycles, 2 % 10,000 to 50,000 (Mely, section V-B (d); Tables III and IV).
 */
final class Unbalanced extends Rounds {
  private static final double SHORT = 100;
  private static final int LONG_MIN = 10_000;
  private static final int LONG_MAX = 50_000;
  private static final double LONG_MEAN = (LONG_MIN + LONG_MAX) / 2.0;
  private static final int ONE_IN = 50;

  private final int events;

  Unbalanced(Simulation simulation, int events, long seed) {
    super(simulation);
    this.events = events;
    SplittableRandom random = new SplittableRandom(seed);
    Handler<Job> brief = simulation.runtime().kind(cost(SHORT), 1);
    Handler<Job> lengthy = simulation.runtime().kind(cost(LONG_MEAN), 1);
    for (int i = 0; i < events; i++) {
      boolean isLong = random.nextInt(ONE_IN) == 0;
      double cycles = isLong ? LONG_MIN + random.nextInt(LONG_MAX - LONG_MIN + 1) : SHORT;
      add(simulation.runtime().newColor(0), 0, new Alone(isLong ? lengthy : brief, cycles));
    }
  }

  @Override
  int events() {
    return events;
  }

  /** An event of one color that only works. */
  private final class Alone extends Task {
    private final double nanos;

    Alone(Handler<Job> kind, double cycles) {
      super(simulation, kind);
      this.nanos = nanos(cycles);
    }

    @Override
    void work(Machine machine) {
      machine.spend(nanos);
    }

    @Override
    boolean goOn() {
      ended();
      return false;
    }
  }
}
