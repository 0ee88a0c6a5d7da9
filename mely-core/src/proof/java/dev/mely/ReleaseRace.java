package dev.mely;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** Of the runner that lets a color go and a producer that posts to it, one takes care of it. */
@JCStressTest
@Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "Released, then activated again.")
@Outcome(id = "false, false", expect = Expect.ACCEPTABLE, desc = "The runner requeues it.")
@Outcome(id = "true, false", expect = Expect.FORBIDDEN, desc = "Nobody queues it: lost event.")
@Outcome(id = "false, true", expect = Expect.FORBIDDEN, desc = "Both queue it.")
@State
public class ReleaseRace {
  private final Color color = Races.running();

  @Actor
  public void runner(ZZ_Result r) {
    r.r1 = color.release(0);
  }

  @Actor
  public void producer(ZZ_Result r) {
    r.r2 = Races.post(color, new Races.Numbered(1));
  }
}
