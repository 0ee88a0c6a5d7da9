package dev.mely;

import org.jspecify.annotations.Nullable;

/**
 * A producer that waits for room. It is in one line at a time, that of the first bound which it has
 * found full, or in none: it has been woken and tries again. All but what is final is guarded by
 * {@link Overload}.
 */
final class WaitingProducer {
  /** All bounds under which it needs room, that of all events last. */
  final Room[] rooms;

  final boolean droppable;
  final Host.Parker parker;

  @Nullable ProducerLine line;
  @Nullable WaitingProducer previous;
  @Nullable WaitingProducer next;

  /**
   * The freed place of a color that it has been woken for, and that nobody else has been woken for:
   * if it cannot take that place, the next one must be told. Null: none.
   */
  @Nullable Room place;

  /** The same, of a place among all events. */
  @Nullable Room placeInAll;

  /** Who is to be woken for these places in its stead. Used by the producer's own thread alone. */
  @Nullable WaitingProducer nextHere;

  @Nullable WaitingProducer nextInAll;

  WaitingProducer(Room[] rooms, boolean droppable, Host.Parker parker) {
    this.rooms = rooms;
    this.droppable = droppable;
    this.parker = parker;
  }
}
