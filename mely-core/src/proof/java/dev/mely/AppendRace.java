package dev.mely;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * A producer registers event 1 and says so; a handler of the color registers event 2. If the
 * handler has heard of event 1 (r1), its own event must not overtake it. r2 is the order in which
 * they run.
 */
@JCStressTest
@Outcome(
    id = {"0, 12", "0, 21"},
    expect = Expect.ACCEPTABLE,
    desc = "Concurrent: any order.")
@Outcome(id = "1, 12", expect = Expect.ACCEPTABLE, desc = "In the order of registration.")
@Outcome(id = "1, 21", expect = Expect.FORBIDDEN, desc = "Overtaken.")
@Outcome(expect = Expect.FORBIDDEN, desc = "Lost or doubled.")
@State
public class AppendRace {
  private final Color color = Races.running();
  private volatile int told;

  @Actor
  public void producer() {
    Races.post(color, new Races.Numbered(1));
    told = 1;
  }

  @Actor
  public void handler(II_Result r) {
    r.r1 = told;
    Event own = new Races.Numbered(2);
    if (!color.append(own)) {
      Races.post(color, own);
    }
  }

  @Arbiter
  public void order(II_Result r) {
    r.r2 = Races.takeAll(color);
  }
}
