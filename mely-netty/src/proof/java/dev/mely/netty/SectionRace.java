package dev.mely.netty;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/**
 * The holder of a poll section leaves while somebody leaves a task: it runs, with what was written.
 */
@JCStressTest
@Outcome(id = "2", expect = Expect.ACCEPTABLE, desc = "The task has run after the poll.")
@Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "The task has run before the poll.")
@Outcome(id = "0", expect = Expect.FORBIDDEN, desc = "The task is left behind.")
@State
public class SectionRace {
  private final PollSection section = new PollSection(true, () -> {});

  // Plain: the section publishes them.
  private int polls;
  private int seen;

  @Actor
  public void poller() {
    if (section.tryEnter()) {
      polls++;
      section.exit();
    }
  }

  @Actor
  public void sender() {
    section.execute(() -> seen = polls + 1);
  }

  @Arbiter
  public void after(I_Result r) {
    r.r1 = section.hasTasks() ? 0 : seen;
  }
}
