package dev.mely.flight;

import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Timespan;

/** What is recorded of a stolen color, whether its core was busy or stuck. */
abstract class TheftEvent extends Event {
  @Label("Thief")
  @Description("Number of the core that has the color now")
  int thief;

  @Label("Victim")
  @Description("Number of the core that had it")
  int victim;

  @Label("Color")
  String color = "";

  @Label("Pending Events")
  int events;

  @Label("Time Left")
  @Description("What the pending events are expected to take, penalties deducted")
  @Timespan(Timespan.NANOSECONDS)
  long timeLeft;

  @Label("Search")
  @Description("How long the thief has searched")
  @Timespan(Timespan.NANOSECONDS)
  long search;

  /** Records the event, if the recording asks for it. */
  final void emit(
      int byCore, int fromCore, Object what, int pending, long pendingNanos, long searchNanos) {
    if (isEnabled()) {
      thief = byCore;
      victim = fromCore;
      color = what.toString();
      events = pending;
      timeLeft = pendingNanos;
      search = searchNanos;
      commit();
    }
  }
}
