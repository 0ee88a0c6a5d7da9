package dev.mely.bench.sim;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Fork and join: an event on core 0 registers the first events of a round; the round's last event
 * registers that event again.
 */
abstract class Rounds implements Run {
  /** The paper's machine: 2.33 GHz (Mely, section V-A). */
  private static final double CYCLES_PER_NANO = 2.33;

  final Simulation simulation;
  private final Object referee;
  private final Task begin;
  private final List<First> first = new ArrayList<>();
  private long left;

  /** A first event of a round. */
  private record First(Object color, int core, Task task) {}

  Rounds(Simulation simulation) {
    this.simulation = simulation;
    this.referee = simulation.runtime().newPinnedColor(0);
    this.begin = new Begin();
  }

  /** Number of events in a round, without the one that starts it. */
  abstract int events();

  /** Registers the first event; must be called before the simulation runs. */
  final void start() {
    simulation.register(referee, begin);
  }

  @Override
  public final void runUntil(long events) {
    simulation.runUntil(wholeRounds(events));
  }

  @Override
  public final Simulation simulation() {
    return simulation;
  }

  /** Rounds a number of events up to whole rounds, for {@link Simulation#runUntil}. */
  long wholeRounds(long atLeast) {
    long each = events() + 1L;
    return (atLeast + each - 1) / each * each + 1;
  }

  /** Adds a first event to each round; its color is moved back to that core. */
  final void add(Object color, int core, Task task) {
    first.add(new First(color, core, task));
  }

  /** An event of a round has ended. */
  final void ended() {
    if (--left == 0) {
      simulation.register(referee, begin);
    }
  }

  /** Converts the paper's cycles to nanoseconds. */
  static double nanos(double cycles) {
    return cycles / CYCLES_PER_NANO;
  }

  /** The declared cost of a handler. */
  static Duration cost(double cycles) {
    return Duration.ofNanos(Math.max(1, Math.round(nanos(cycles))));
  }

  private final class Begin extends Task {
    private int at;

    Begin() {
      super(simulation, simulation.runtime().kind(Duration.ofNanos(100), 1));
    }

    @Override
    void work(Machine machine) {
      at = 0;
      left = events();
    }

    @Override
    boolean goOn() {
      First next = first.get(at++);
      simulation.runtime().moveTo(next.color(), next.core());
      simulation.register(next.color(), next.task());
      return at < first.size();
    }
  }
}
