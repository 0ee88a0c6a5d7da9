package dev.mely;

import org.jspecify.annotations.Nullable;

/** An event of a {@link Schedule}. */
final class SimEvent extends Event {
  final int color;

  /** Its place among the events of its color (from its source, where steps have stops). */
  int sequence;

  /** Its place in the line of its color. */
  int place;

  /** Who registered it. */
  int source;

  /** What it is a step of; null: it stands for itself. */
  @Nullable SimTask task;

  SimEvent(int color) {
    this.color = color;
  }
}
