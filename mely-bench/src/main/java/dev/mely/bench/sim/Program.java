package dev.mely.bench.sim;

import java.util.function.Function;

/** What is run: the same for every runtime, whatever stands for a color there. */
@FunctionalInterface
interface Program {
  /**
   * Prepares a run.
   *
   * @param maker makes the runtime
   */
  Run begin(Machine machine, Function<Simulation, SimRuntime> maker);
}
