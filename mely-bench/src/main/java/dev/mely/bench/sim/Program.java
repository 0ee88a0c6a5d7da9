package dev.mely.bench.sim;

import java.util.function.Function;

/** What is run: the same for every runtime, whatever stands for a color there. */
interface Program {
  /**
   * Prepares a run.
   *
   * @param <C> what stands for a color
   * @param maker makes the runtime
   */
  <C> Run begin(Machine machine, Function<Simulation<C>, SimRuntime<C>> maker);
}
