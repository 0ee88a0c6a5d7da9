package dev.mely.netty;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** A poll masks a channel just as its color has handled it: it is armed and idle in the end. */
@JCStressTest
@Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "Armed, and idle.")
@Outcome(expect = Expect.FORBIDDEN, desc = "The channel sleeps.")
@State
public class MaskRace {
  private final ModelSource source = new ModelSource();
  private final Readiness readiness = source.readiness;

  public MaskRace() {
    readiness.claim();
  }

  @Actor
  public void poll() {
    readiness.mask();
  }

  @Actor
  public void color() {
    readiness.handled();
  }

  @Arbiter
  public void after(ZZ_Result r) {
    r.r1 = source.armed;
    r.r2 = readiness.claim();
  }
}
