package dev.mely;

/** An event of a {@link Schedule}. */
final class SimEvent extends Event {
  final int color;

  /** Its place among the events of its color. */
  int sequence;

  SimEvent(int color) {
    this.color = color;
  }
}
