package dev.mely;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** A queued color is claimed by its own core or by a thief, never by both. */
@JCStressTest
@Outcome(id = "true, false", expect = Expect.ACCEPTABLE, desc = "Its own core has it.")
@Outcome(id = "false, true", expect = Expect.ACCEPTABLE, desc = "The thief has it.")
@Outcome(id = "true, true", expect = Expect.FORBIDDEN, desc = "Two cores run one color.")
@Outcome(id = "false, false", expect = Expect.FORBIDDEN, desc = "Nobody runs it.")
@State
public class ClaimRace {
  private final Color color = Races.queued();

  @Actor
  public void owner(ZZ_Result r) {
    r.r1 = color.claim(0, 0);
  }

  @Actor
  public void thief(ZZ_Result r) {
    r.r2 = color.claim(0, 1);
  }
}
