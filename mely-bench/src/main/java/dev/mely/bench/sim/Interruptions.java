package dev.mely.bench.sim;

import dev.mely.bench.Arrivals;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Interruptions of cores by the kernel's clock or a hypervisor. Per core a Poisson process;
 * durations are drawn from measured ones. A handler that should start during an interruption starts
 * after it, and a running one takes longer. A sleeping core is not affected: its interruptions are
 * part of the wake-up delay.
 */
final class Interruptions {
  private final double gapPicos;
  private final long[] lengths;

  // By core: the next or current interruption.
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

  /** Converts nanoseconds to picoseconds. */
  static long[] picos(List<Double> nanos) {
    return nanos.stream().mapToLong(Machine::picos).toArray();
  }

  private void next(int core) {
    from[core] = until[core] + Arrivals.gap(random[core], gapPicos);
    until[core] = from[core] + lengths[random[core].nextInt(lengths.length)];
  }

  /** A core is about to start a handler, and waits for the end of a current interruption. */
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

  /** A sleeping core is woken: skips interruptions that started meanwhile. */
  void wake(int core, long now) {
    while (random.length > 0 && from[core] <= now) {
      next(core);
    }
  }

  /** A core has worked until now: adds the interruptions that started meanwhile. */
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
