package dev.mely.flight;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;
import jdk.jfr.Timespan;

/** A worker waited. */
@Name("dev.mely.Park")
@Label("Park")
@Category("Mely")
@Description("A core had nothing to run and waited")
@StackTrace(false)
@Threshold("1 ms")
final class ParkEvent extends Event {
  /** Asked alone: asking allocates nothing. */
  private static final ParkEvent PROBE = new ParkEvent();

  @Label("Core")
  int core;

  @Label("Limit")
  @Description("How long the core was willing to wait; the highest value: for good")
  @Timespan(Timespan.NANOSECONDS)
  long limit;

  static boolean isOn() {
    return PROBE.isEnabled();
  }

  static ParkEvent start() {
    ParkEvent event = new ParkEvent();
    event.begin();
    return event;
  }

  void end(int onCore, long waitNanos) {
    end();
    if (shouldCommit()) {
      core = onCore;
      limit = waitNanos;
      commit();
    }
  }
}
