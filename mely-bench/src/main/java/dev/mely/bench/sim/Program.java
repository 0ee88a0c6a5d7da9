package dev.mely.bench.sim;

import java.util.function.Function;

/** A simulated program, the same for every runtime and its type of colors. */
@FunctionalInterface
interface Program {
  /**
   * Prepares a run.
   *
   * @param maker makes the runtime
   */
  Run begin(Machine machine, Function<Simulation, SimRuntime> maker);
}
