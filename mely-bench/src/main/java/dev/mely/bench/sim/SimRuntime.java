package dev.mely.bench.sim;

import dev.mely.Handler;
import dev.mely.bench.baseline.Contestant;
import dev.mely.bench.baseline.Figures;
import dev.mely.bench.baseline.Job;
import java.time.Duration;

/**
 * A runtime without threads: the simulator lets its cores make their steps. What it has in common
 * with those that have threads means the same there, see {@link Contestant}.
 */
interface SimRuntime {
  Object newColor(int core);

  Object newPinnedColor(int core);

  void moveTo(Object color, int core);

  Handler<Job> kind(Duration cost, int penalty);

  void register(Object color, Job job);

  Figures figures();

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
