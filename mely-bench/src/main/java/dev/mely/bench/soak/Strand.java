package dev.mely.bench.soak;

import dev.mely.Color;

/** A color, and one producer's events there. */
final class Strand {
  final Color color;

  /** Events registered. Its producer only. */
  int registered;

  /**
   * Events that have run or were rejected. Plain on purpose: the color's next event must see the
   * previous one's writes, and no other thread may write concurrently.
   */
  private int finished;

  Strand(Color color) {
    this.color = color;
  }

  /** Returns whether this event is the next one in order. */
  boolean finish(SoakEvent event) {
    return event.number == SoakEvent.ANYWHERE || event.number == finished++;
  }
}
