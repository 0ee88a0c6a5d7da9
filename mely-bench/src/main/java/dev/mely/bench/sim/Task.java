package dev.mely.bench.sim;

import dev.mely.Handler;
import dev.mely.bench.baseline.Job;

/**
 * An event of a simulated program. What it works is charged when it begins; what it registers is
 * registered when that time is over, one by one, so that others see each when it is there.
 */
abstract class Task extends Job {
  private final Simulation simulation;

  /** Who has registered it. */
  private int madeBy = Machine.OUTSIDE;

  Task(Simulation simulation, Handler<Job> kind) {
    super(kind);
    this.simulation = simulation;
  }

  /** Works: spends time on the machine. */
  abstract void work(Machine machine);

  /**
   * Does one thing more, when the work is over: registers an event, say.
   *
   * @return whether there is anything left to do
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
