package dev.mely.bench.sim;

import dev.mely.bench.Arrivals;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A core is taken away now and then, by the kernel's clock or by a hypervisor, whatever it does. At
 * each core that is a Poisson process, and each time lasts as long as one of those that were
 * measured. A handler that is to begin meanwhile begins afterwards, and one that runs takes longer.
 * Who sleeps loses nothing: whatever keeps it from going on is part of a wake-up's delay.
 */
final class Interruptions {
  private final double gapPicos;
  private final long[] lengths;

  // By core: the interruption that is the next, or goes on.
  private final SplittableRandom[] random;
  private final long[] from;
  private final long[] until;

  Interruptions(Costs costs, int cores, long seed) {
    gapPicos = costs.betweenInterruptions() * Machine.NANO;
    lengths = picos(costs.interruptions());
    boolean none = gapPicos == 0 || lengths.length == 0;
    random = new SplittableRandom[none ? 0 : cores];
    from = new long[cores];
    until = new long[cores];
    SplittableRandom root = new SplittableRandom(seed);
    for (int core = 0; core < random.length; core++) {
      random[core] = root.split();
      next(core);
    }
  }

  /** Figures of a costs file, in picoseconds. */
  static long[] picos(List<Double> nanos) {
    return nanos.stream().mapToLong(Machine::picos).toArray();
  }

  private void next(int core) {
    from[core] = until[core] + Arrivals.gap(random[core], gapPicos);
    until[core] = from[core] + lengths[random[core].nextInt(lengths.length)];
  }

  /** A core is about to begin: it may have to wait. */
  void begin(int core, Clock clock) {
    if (random.length == 0) {
      return;
    }
    while (until[core] <= clock.now()) {
      next(core);
    }
    if (from[core] <= clock.now()) {
      clock.await(until[core]);
      next(core);
    }
  }

  /** A core that has slept is woken up: what has begun meanwhile did not hit it. */
  void wake(int core, long now) {
    while (random.length > 0 && from[core] <= now) {
      next(core);
    }
  }

  /** A core has worked until now, or would have if nothing had come between. */
  void end(int core, Clock clock) {
    if (random.length == 0) {
      return;
    }
    while (from[core] < clock.now()) {
      clock.spend(until[core] - from[core]);
      next(core);
    }
  }
}
