package dev.mely.nio;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * An operation ends while it is cancelled. Its result belongs to the thread that ends it (r1 = 0),
 * to the one that cancels it (r2 = its value), or to the handler; its owner sees it whole.
 */
@JCStressTest
@org.openjdk.jcstress.annotations.Outcome(
    id = "0, 1",
    expect = Expect.ACCEPTABLE,
    desc = "Cancelled while it ran: who ended it discards the result.")
@org.openjdk.jcstress.annotations.Outcome(
    id = "1, 7",
    expect = Expect.ACCEPTABLE,
    desc = "Cancelled when it had ended: who cancelled it discards the result.")
@org.openjdk.jcstress.annotations.Outcome(
    expect = Expect.FORBIDDEN,
    desc = "The result leaks, is discarded twice, or is not published.")
@State
public class ResultRace {
  private final Outcome<int[]> outcome = new Outcome<>();

  @Actor
  public void work(II_Result r) {
    int[] result = {7};
    r.r1 = outcome.end(result, null) ? 1 : 0;
  }

  @Actor
  public void cancel(II_Result r) {
    if (outcome.cancelRunning()) {
      r.r2 = 1;
    } else if (outcome.cancelEnded()) {
      int[] result = outcome.result();
      r.r2 = result == null ? -1 : result[0];
    }
  }
}
