package dev.mely.nio;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * A connection comes about (r1) while its channel is closed (r2): one of the two is the outcome.
 */
@JCStressTest
@org.openjdk.jcstress.annotations.Outcome(
    id = {"1, 0, 1", "0, 1, 2"},
    expect = Expect.ACCEPTABLE,
    desc = "Connected, or failed.")
@org.openjdk.jcstress.annotations.Outcome(
    expect = Expect.FORBIDDEN,
    desc = "Two outcomes, none, or that of the other.")
@State
public class EndRace {
  private final Outcome<Integer> outcome = new Outcome<>();

  @Actor
  public void network(III_Result r) {
    r.r1 = outcome.end(1, null) ? 1 : 0;
  }

  @Actor
  public void closer(III_Result r) {
    r.r2 = outcome.end(2, null) ? 1 : 0;
  }

  @Arbiter
  public void handler(III_Result r) {
    Integer result = outcome.result();
    r.r3 = result == null ? 0 : result;
  }
}
