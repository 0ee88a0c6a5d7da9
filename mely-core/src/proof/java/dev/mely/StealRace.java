package dev.mely;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** What an event wrote is seen by the next event of its color, on the core that stole the color. */
@JCStressTest
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "Not queued yet: no steal.")
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "Stolen, and the write is seen.")
@Outcome(id = "1, 0", expect = Expect.FORBIDDEN, desc = "Stolen, and the write is not seen.")
@State
public class StealRace {
  private final Color color = Races.running();
  private int written;

  /** The end of a batch on core 0. */
  @Actor
  public void victim() {
    written = 1;
    color.queue(0);
  }

  /** A thief on core 1. */
  @Actor
  public void thief(II_Result r) {
    if (color.claim(0, 1)) {
      r.r1 = 1;
      r.r2 = written;
    }
  }
}
