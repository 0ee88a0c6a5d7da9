package dev.mely;

import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** Of the worker that parks a paused color and the thread that resumes it, one queues it. */
@JCStressTest
@Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "One queues it.")
@Outcome(id = "0", expect = Expect.FORBIDDEN, desc = "Nobody queues it: lost event.")
@Outcome(id = "2", expect = Expect.FORBIDDEN, desc = "Both queue it.")
@State
public class PauseRace {
  private final AtomicInteger queued = new AtomicInteger();
  private final Pauses pauses = new Pauses(color -> queued.incrementAndGet());
  private final Color color = Races.running();

  /** The color is paused while it runs. */
  public PauseRace() {
    pauses.pause(Races.running()); // the set is not empty then
    pauses.pause(color);
  }

  @Actor
  public void worker() {
    pauses.park(color);
  }

  @Actor
  public void resuming() {
    pauses.resume(color);
  }

  @Arbiter
  public void result(I_Result r) {
    r.r1 = queued.get();
  }
}
