package dev.mely.flight;

import java.util.function.Supplier;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;

/** A run of a handler, if it took long. */
@Name("dev.mely.SlowHandler")
@Label("Slow Handler")
@Category("Mely")
@Description("A handler ran longer than the threshold")
@StackTrace(false)
@Threshold("10 ms")
final class SlowHandlerEvent extends Event {
  /** Asked alone: asking allocates nothing. */
  private static final SlowHandlerEvent PROBE = new SlowHandlerEvent();

  @Label("Core")
  int core;

  @Label("Handler")
  String handler = "";

  @Label("Color")
  String color = "";

  static boolean isOn() {
    return PROBE.isEnabled();
  }

  static SlowHandlerEvent start() {
    SlowHandlerEvent event = new SlowHandlerEvent();
    event.begin();
    return event;
  }

  void end(int onCore, Supplier<String> who, Object of) {
    end();
    if (shouldCommit()) {
      core = onCore;
      handler = who.get();
      color = of.toString();
      commit();
    }
  }
}
