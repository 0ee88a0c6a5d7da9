package dev.mely;

import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.Z_Result;

/**
 * A producer finds no room and waits while room is made: it sees the room, or it is woken. When the
 * thread that makes room has done so, the producer may be on its way, but does not wait: one that
 * is notified does not count as waiting any more, even if it has had no CPU since.
 */
@JCStressTest
@Outcome(id = "false", expect = Expect.ACCEPTABLE, desc = "It comes in.")
@Outcome(id = "true", expect = Expect.FORBIDDEN, desc = "It sleeps beside room that is free.")
@State
public class RoomRace {
  private final Scheduler scheduler = Races.fullScheduler();
  private final Color color = scheduler.newColor(0, false);
  private final Event first = Races.pending();
  private final Event second = Races.pending();
  private volatile @Nullable Thread producer;
  private volatile boolean in;

  public RoomRace() {
    scheduler.overload.admit(color, first);
  }

  @Actor
  public void produce() {
    producer = Thread.currentThread();
    scheduler.overload.admit(color, second);
    in = true;
  }

  @Actor
  public void consume(Z_Result r) {
    scheduler.overload.left(color, first);
    while (!in) {
      Thread waits = producer;
      // It is not in yet after it was seen to wait: so it did not wait for whatever comes next.
      if (waits != null && waits.getState() == Thread.State.WAITING && !in) {
        r.r1 = true;
        scheduler.overload.wakeAll();
      }
      Thread.onSpinWait();
    }
  }
}
