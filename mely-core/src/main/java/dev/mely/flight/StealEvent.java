package dev.mely.flight;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A color was stolen. */
@Name("dev.mely.Steal")
@Label("Steal")
@Category("Mely")
@Description("An idle core took a color from a busy one")
@StackTrace(false)
final class StealEvent extends TheftEvent {
  /** Asked alone: asking allocates nothing. */
  private static final StealEvent PROBE = new StealEvent();

  static boolean isOn() {
    return PROBE.isEnabled();
  }
}
