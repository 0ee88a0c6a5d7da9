package dev.mely.bench.soak;

import dev.mely.Color;

/** A color, and what one producer has sent there. */
final class Strand {
  final Color color;

  /** Events registered. Its producer only. */
  int registered;

  /**
   * Events that have run or were rejected. Plain on purpose: whoever runs the color must see what
   * the event before has written, and nobody may write beside it.
   */
  private int finished;

  Strand(Color color) {
    this.color = color;
  }

  /** True if this event is the one whose turn it is. */
  boolean finish(SoakEvent event) {
    return event.number == SoakEvent.ANYWHERE || event.number == finished++;
  }
}
