package dev.mely.bench.sim;

import dev.mely.Handler;
import dev.mely.bench.baseline.Contestant;
import dev.mely.bench.baseline.Figures;
import dev.mely.bench.baseline.Job;
import java.time.Duration;

/**
 * A runtime without threads: the simulator makes the steps of its cores. Methods with the same
 * names as in {@link Contestant} have the same meaning.
 */
interface SimRuntime {
  Object newColor(int core);

  Object newPinnedColor(int core);

  void moveTo(Object color, int core);

  Handler<Job> kind(Duration cost, int penalty);

  void register(Object color, Job job);

  Figures figures();

  /**
   * Makes a core's next step, at the time of the machine's clock, and spends its time.
   *
   * @return when the core continues, in picoseconds; {@link Clock#NEVER}: when it is woken
   */
  long step(int core);

  /** Number of searches for something to steal. */
  long stealsTried();
}
