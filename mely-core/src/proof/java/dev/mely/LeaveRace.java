package dev.mely;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * The last event that reads a color leaves it while a producer wants to let in another one: one of
 * the two has the color, and if it is the producer, it sees all that the reader has done.
 */
@JCStressTest
@Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "The reader leaves first, and has it.")
@Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "The producer has it; one still reads.")
@Outcome(id = "0, 2", expect = Expect.ACCEPTABLE, desc = "The producer has it; nobody reads.")
@Outcome(id = "0, 3", expect = Expect.FORBIDDEN, desc = "Nobody reads, and a write is not seen.")
@Outcome(id = "1, [123]", expect = Expect.FORBIDDEN, desc = "Two have the color.")
@Outcome(id = "0, 0", expect = Expect.FORBIDDEN, desc = "Nobody has the color.")
@State
public class LeaveRace {
  private final Color color = Races.shared();
  private int written;

  /** The end of an event that has read the color. */
  @Actor
  public void reader(II_Result r) {
    written = 1;
    r.r1 = color.leaveReader() ? 1 : 0;
  }

  /** A registration, after it has linked its ticket. */
  @Actor
  public void producer(II_Result r) {
    if (color.joinReaders()) {
      if (color.hasReaders()) {
        r.r2 = 1;
      } else {
        r.r2 = written == 1 ? 2 : 3;
      }
    }
  }
}
