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
   * The place in a color for which this producer alone has been woken: if it cannot take that
   * place, it must wake the next one. Null: none.
   */
  @Nullable Room place;

  /** The same, of a place among all events. */
  @Nullable Room placeInAll;

  /** The producers to wake for these places instead. */
  @Nullable WaitingProducer nextHere;

  @Nullable WaitingProducer nextInAll;

  WaitingProducer(Room[] rooms, boolean droppable, Host.Parker parker) {
    this.rooms = rooms;
    this.droppable = droppable;
    this.parker = parker;
  }
}
