package dev.mely;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** A worker parks while a timer is added to its core: it sees the deadline, or it is woken. */
@JCStressTest
@Outcome(id = "true, false", expect = Expect.ACCEPTABLE, desc = "The worker sees the deadline.")
@Outcome(id = "false, true", expect = Expect.ACCEPTABLE, desc = "Whoever adds it wakes the worker.")
@Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "Both.")
@Outcome(id = "false, false", expect = Expect.FORBIDDEN, desc = "It oversleeps the timer.")
@State
public class TimerRace {
  private final IdleCores idle = new IdleCores(0);
  private final Core core = Races.core();
  private final TimerEvent timer = Races.timer();

  @Actor
  public void worker(ZZ_Result r) {
    idle.publishParked(core);
    r.r1 = core.timers.nextDeadline() != TimerQueue.NONE;
  }

  @Actor
  public void starter(ZZ_Result r) {
    r.r2 = core.timers.add(timer) && idle.wakeHome(core);
  }
}
