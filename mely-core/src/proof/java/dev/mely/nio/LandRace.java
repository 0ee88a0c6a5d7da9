package dev.mely.nio;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** A source is resumed while its last event lands: one of the two arms it, and looks. */
@JCStressTest
@Outcome(id = "true, false", expect = Expect.ACCEPTABLE, desc = "Whoever handles the event looks.")
@Outcome(id = "false, true", expect = Expect.ACCEPTABLE, desc = "Whoever resumes it looks.")
@Outcome(id = "false, false", expect = Expect.FORBIDDEN, desc = "Nobody looks: dead.")
@Outcome(id = "true, true", expect = Expect.FORBIDDEN, desc = "Armed twice.")
@State
public class LandRace {
  private final SourceState state = new SourceState();

  public LandRace() {
    state.resume();
    state.takeOff();
    state.pause();
  }

  @Actor
  public void color(ZZ_Result r) {
    r.r1 = state.land();
  }

  @Actor
  public void user(ZZ_Result r) {
    r.r2 = state.resume();
  }
}
