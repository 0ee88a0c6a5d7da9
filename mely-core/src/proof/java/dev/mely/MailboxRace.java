package dev.mely;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * One event waits, a producer posts a second while the runner takes: each comes once, in order, and
 * with what its producer wrote into it. Numbers are what was taken, digit by digit: r1 by the
 * runner, r2 later.
 */
@JCStressTest
@Outcome(id = "1, 2", expect = Expect.ACCEPTABLE, desc = "The second came too late.")
@Outcome(id = "12, 0", expect = Expect.ACCEPTABLE, desc = "Both taken at once.")
@Outcome(id = "0, 12", expect = Expect.ACCEPTABLE, desc = "A hole behind the first: taken later.")
@Outcome(expect = Expect.FORBIDDEN, desc = "Lost, doubled, out of order, or not published.")
@State
public class MailboxRace {
  private final Color color = Races.running();
  private final Races.Numbered second = new Races.Numbered(0);

  public MailboxRace() {
    Races.post(color, new Races.Numbered(1));
  }

  @Actor
  public void producer() {
    second.number = 2;
    Races.post(color, second);
  }

  @Actor
  public void runner(II_Result r) {
    r.r1 = Races.takeAll(color);
  }

  @Arbiter
  public void later(II_Result r) {
    r.r2 = Races.takeAll(color);
  }
}
