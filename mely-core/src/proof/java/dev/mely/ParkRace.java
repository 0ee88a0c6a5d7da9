package dev.mely;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** A worker parks while a color is put into its ring: it sees the color, or it is woken. */
@JCStressTest
@Outcome(id = "true, false", expect = Expect.ACCEPTABLE, desc = "The worker sees the color.")
@Outcome(id = "false, true", expect = Expect.ACCEPTABLE, desc = "The producer wakes the worker.")
@Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "Both.")
@Outcome(id = "false, false", expect = Expect.FORBIDDEN, desc = "It sleeps on a color that waits.")
@State
public class ParkRace {
  private static final Color COLOR = Races.queued();

  private final IdleCores idle = new IdleCores(0);
  private final Core core = Races.core();

  @Actor
  public void worker(ZZ_Result r) {
    idle.publishParked(core);
    r.r1 = !core.queue.isEmpty();
  }

  @Actor
  public void producer(ZZ_Result r) {
    core.queue.offer(COLOR);
    r.r2 = idle.wakeHome(core);
  }
}
