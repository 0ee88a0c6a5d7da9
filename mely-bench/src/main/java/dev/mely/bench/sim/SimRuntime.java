package dev.mely.bench.sim;

import dev.mely.bench.baseline.Contestant;

/**
 * A runtime without threads: the simulator lets its cores make their steps.
 *
 * @param <C> what stands for a color
 */
interface SimRuntime<C> extends Contestant<C> {
  /**
   * Lets a core do what it would do next, at the time of the machine's clock, and spends the time
   * that it takes.
   *
   * @return when it goes on, in picoseconds; {@link Clock#NEVER}: when it is called
   */
  long step(int core);

  /** How often cores have looked for something to steal. */
  long stealsTried();
}
