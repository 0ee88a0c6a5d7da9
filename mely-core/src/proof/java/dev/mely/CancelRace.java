package dev.mely;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** A timer is cancelled while it fires: its handler runs, or cancel returns true, never both. */
@JCStressTest
@Outcome(id = "true, false", expect = Expect.ACCEPTABLE, desc = "It runs.")
@Outcome(id = "false, true", expect = Expect.ACCEPTABLE, desc = "It is cancelled.")
@Outcome(id = "true, true", expect = Expect.FORBIDDEN, desc = "Cancelled, and it runs.")
@Outcome(id = "false, false", expect = Expect.FORBIDDEN, desc = "Neither.")
@State
public class CancelRace {
  private final TimerEvent timer = Races.timer();

  @Actor
  public void core(ZZ_Result r) {
    r.r1 = timer.fire() && timer.payload() != null;
  }

  @Actor
  public void canceller(ZZ_Result r) {
    r.r2 = timer.cancel();
  }
}
