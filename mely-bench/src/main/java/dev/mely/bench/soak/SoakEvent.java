package dev.mely.bench.soak;

import dev.mely.Event;

/** An event of a {@link Strand}; its number is its place there, or {@link #ANYWHERE}. */
final class SoakEvent extends Event {
  /** For events whose order nobody knows, since a handler registers them beside the producer. */
  static final int ANYWHERE = -1;

  final Strand strand;
  final int number;

  SoakEvent(Strand strand, int number) {
    this.strand = strand;
    this.number = number;
  }
}
