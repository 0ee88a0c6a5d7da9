package dev.mely;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * An event that has written a color lets it go, and its successor wants to hold the color while
 * another one does: one of them has it, and sees what has been written.
 */
@JCStressTest
@Outcome(
    id = {"1, 0", "0, 1"},
    expect = Expect.ACCEPTABLE,
    desc = "One has the color.")
@Outcome(id = "1, 1", expect = Expect.FORBIDDEN, desc = "Two have the color.")
@Outcome(id = "0, 0", expect = Expect.FORBIDDEN, desc = "Nobody has the color.")
@Outcome(id = "0, 2", expect = Expect.FORBIDDEN, desc = "A write is not seen.")
@State
public class HoldRace {
  private final Color color = Races.held();
  private int written;

  /** The end of an event that has written the color, and the next registration of its thread. */
  @Actor
  public void writer(II_Result r) {
    written = 1;
    color.release(0);
    r.r1 = hold();
  }

  /** A registration. */
  @Actor
  public void other(II_Result r) {
    r.r2 = hold();
  }

  private int hold() {
    return !color.holdIdle() ? 0 : written == 1 ? 1 : 2;
  }
}
