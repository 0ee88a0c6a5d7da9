package dev.mely.flight;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A color has moved: home again, or at random. */
@Name("dev.mely.Migration")
@Label("Migration")
@Category("Mely")
@Description("A color moved to another core without being stolen")
@StackTrace(false)
final class MigrationEvent extends Event {
  /** Asked alone: asking allocates nothing. */
  private static final MigrationEvent PROBE = new MigrationEvent();

  @Label("From")
  @Description("Number of the core")
  int from;

  @Label("To")
  @Description("Number of the core")
  int to;

  @Label("Color")
  String color = "";

  static boolean isOn() {
    return PROBE.isEnabled();
  }

  static void emit(int from, int to, Object color) {
    MigrationEvent event = new MigrationEvent();
    if (event.isEnabled()) {
      event.from = from;
      event.to = to;
      event.color = color.toString();
      event.commit();
    }
  }
}
