package dev.mely.bench.soak;

import dev.mely.Event;

/** An event of a {@link Strand}; its number is its position there, or {@link #ANYWHERE}. */
final class SoakEvent extends Event {
  /** For events in no known order, as handlers register them concurrently with the producer. */
  static final int ANYWHERE = -1;

  final Strand strand;
  final int number;

  SoakEvent(Strand strand, int number) {
    this.strand = strand;
    this.number = number;
  }
}
