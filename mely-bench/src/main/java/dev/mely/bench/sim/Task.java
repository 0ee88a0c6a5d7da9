package dev.mely.bench.sim;

import dev.mely.Handler;
import dev.mely.bench.baseline.Job;

/**
 * An event of a simulated program. Its work is charged at the start; after that time it registers
 * events, one by one, so that other cores see each at its time.
 */
abstract class Task extends Job {
  private final Simulation simulation;

  /** The core that registered it. */
  private int madeBy = Machine.OUTSIDE;

  Task(Simulation simulation, Handler<Job> kind) {
    super(kind);
    this.simulation = simulation;
  }

  /** Works: spends time on the machine. */
  abstract void work(Machine machine);

  /**
   * Makes one more step after the work, such as a registration.
   *
   * @return whether there are further steps
   */
  boolean goOn() {
    return false;
  }

  /** A core registers it. */
  final void madeBy(int core) {
    madeBy = core;
  }

  final int madeBy() {
    return madeBy;
  }

  /** The runtime runs it. */
  @Override
  public final void run() {
    simulation.begin(this);
  }
}
