package dev.mely;

/** An event of a {@link Schedule}. */
final class SimEvent extends Event {
  final int color;

  /** Its place among the events of its color (from its source, where steps have stops). */
  int sequence;

  /** Its place in the line of its color. */
  int place;

  /** Who registered it. */
  int source;

  SimEvent(int color) {
    this.color = color;
  }
}
