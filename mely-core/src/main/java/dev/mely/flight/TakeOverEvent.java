package dev.mely.flight;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A color was taken from a core that is stuck. */
@Name("dev.mely.TakeOver")
@Label("Take-over")
@Category("Mely")
@Description("A color was taken from a core that is stuck in a handler")
@StackTrace(false)
final class TakeOverEvent extends TheftEvent {
  /** Asked alone: asking allocates nothing. */
  private static final TakeOverEvent PROBE = new TakeOverEvent();

  static boolean isOn() {
    return PROBE.isEnabled();
  }
}
