package dev.mely.netty;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * Two who find a poll section free: one is inside at a time, and sees what the other has written.
 */
@JCStressTest
@Outcome(
    id = {"1, 2", "2, 1"},
    expect = Expect.ACCEPTABLE,
    desc = "One after the other.")
@Outcome(
    id = {"1, 0", "0, 1"},
    expect = Expect.ACCEPTABLE,
    desc = "One found it taken.")
@Outcome(expect = Expect.FORBIDDEN, desc = "Both were inside.")
@State
public class HandOverRace {
  private final PollSection section = new PollSection(true, () -> {});

  /** Plain: belongs to the thread inside. */
  private int count;

  @Actor
  public void worker(II_Result r) {
    if (section.tryEnter()) {
      r.r1 = ++count;
      section.exit();
    }
  }

  @Actor
  public void thief(II_Result r) {
    if (section.tryEnter()) {
      r.r2 = ++count;
      section.exit();
    }
  }
}
