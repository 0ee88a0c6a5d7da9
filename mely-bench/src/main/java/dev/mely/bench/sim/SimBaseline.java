package dev.mely.bench.sim;

import dev.mely.Handler;
import dev.mely.bench.baseline.Contestant;
import dev.mely.bench.baseline.Figures;
import dev.mely.bench.baseline.Job;
import java.time.Duration;
import java.util.BitSet;
import java.util.function.IntPredicate;

/**
 * A baseline, libasync or spinlock Mely, on the simulator's locks. Its idle cores spin, as in the
 * papers; after a failed search, a core's next step is at the next change of state.
 *
 * @param <C> type of a color
 */
final class SimBaseline<C> implements SimRuntime {
  private final Simulation simulation;
  private final Machine machine;
  private final Contestant<C> baseline;
  private final IntPredicate stepper;
  private final double runNanos;
  private final BitSet spinning = new BitSet();
  private long tried;

  /**
   * @param stepper makes a core's next step; returns false if there was nothing to do
   * @param runNanos cost of an event, without its lock and its work
   */
  SimBaseline(
      Simulation simulation, Contestant<C> baseline, IntPredicate stepper, double runNanos) {
    this.simulation = simulation;
    this.machine = simulation.machine();
    this.baseline = baseline;
    this.stepper = stepper;
    this.runNanos = runNanos;
  }

  @Override
  public long step(int core) {
    long eventsBefore = simulation.events();
    boolean found;
    machine.mayRetry(true);
    try {
      found = stepper.test(core);
    } catch (Machine.LockHeld e) {
      return machine.retryAt();
    } finally {
      machine.mayRetry(false);
    }
    if (simulation.events() != eventsBefore) {
      machine.spend(runNanos);
      changed();
      return machine.clock().now();
    }
    tried++;
    if (found) { // no event was started, so it was a steal
      changed();
      return machine.clock().now();
    }
    machine.spend(machine.costs.look() * (machine.cores() - 1));
    spinning.set(core);
    return Clock.NEVER;
  }

  /** Spinning cores see the change at their next look. */
  private void changed() {
    if (spinning.isEmpty()) {
      return;
    }
    long look = Machine.picos(machine.costs.look() * machine.cores());
    for (int core = spinning.nextSetBit(0); core >= 0; core = spinning.nextSetBit(core + 1)) {
      simulation.wake(core, look);
    }
    spinning.clear();
  }

  @Override
  public void register(Object color, Job job) {
    if (machine.current() != Machine.OUTSIDE) {
      machine.spend(machine.costs.listRegister());
    }
    baseline.register(own(color), job);
    changed();
  }

  // ---- The rest is the baseline's

  @SuppressWarnings("unchecked") // it has made all colors
  private C own(Object color) {
    return (C) color;
  }

  @Override
  public Object newColor(int core) {
    return baseline.newColor(core);
  }

  @Override
  public Object newPinnedColor(int core) {
    return baseline.newPinnedColor(core);
  }

  @Override
  public void moveTo(Object color, int core) {
    baseline.moveTo(own(color), core);
  }

  @Override
  public Handler<Job> kind(Duration cost, int penalty) {
    return baseline.kind(cost, penalty);
  }

  @Override
  public Figures figures() {
    Figures f = baseline.figures();
    return new Figures(
        f.steals(),
        f.stolenNanos(),
        f.stealNanos(),
        0,
        0,
        0,
        machine.locks(),
        machine.lockPicos() / Machine.NANO,
        0);
  }

  @Override
  public long stealsTried() {
    return tried;
  }
}
