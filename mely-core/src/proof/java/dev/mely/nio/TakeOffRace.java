package dev.mely.nio;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** Two find something for one source: one of them posts the event. */
@JCStressTest
@Outcome(id = "true, false", expect = Expect.ACCEPTABLE, desc = "The first posts.")
@Outcome(id = "false, true", expect = Expect.ACCEPTABLE, desc = "The second posts.")
@Outcome(id = "true, true", expect = Expect.FORBIDDEN, desc = "One event, posted twice.")
@Outcome(id = "false, false", expect = Expect.FORBIDDEN, desc = "Nobody posts.")
@State
public class TakeOffRace {
  private final SourceState state = new SourceState();

  public TakeOffRace() {
    state.resume();
  }

  @Actor
  public void one(ZZ_Result r) {
    r.r1 = state.takeOff();
  }

  @Actor
  public void other(ZZ_Result r) {
    r.r2 = state.takeOff();
  }
}
