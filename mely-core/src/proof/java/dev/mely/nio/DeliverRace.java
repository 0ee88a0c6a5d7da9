package dev.mely.nio;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** The handler of an operation is about to be called while it is cancelled: one of the two. */
@JCStressTest
@org.openjdk.jcstress.annotations.Outcome(
    id = {"true, false", "false, true"},
    expect = Expect.ACCEPTABLE,
    desc = "Delivered, or cancelled.")
@org.openjdk.jcstress.annotations.Outcome(
    expect = Expect.FORBIDDEN,
    desc = "Its result is closed under the handler, or by nobody.")
@State
public class DeliverRace {
  private final Outcome<Integer> outcome = new Outcome<>();

  public DeliverRace() {
    outcome.end(1, null);
  }

  @Actor
  public void color(ZZ_Result r) {
    r.r1 = outcome.deliver();
  }

  @Actor
  public void user(ZZ_Result r) {
    r.r2 = outcome.cancelRunning() || outcome.cancelEnded();
  }
}
