package dev.mely;

/** An event of the runtime's own, which a worker does not simply hand to its handler. */
abstract class SpecialEvent extends Event {
  SpecialEvent(Handler<?> handler) {
    super(handler);
  }

  /** Whether it has taken room in its color, see {@link Overload}. */
  abstract boolean takesRoom();

  /** Whether it counts among all that are pending. */
  abstract boolean takesRoomInAll();
}
