package dev.mely;

/** A timer or a permit: an event that a worker does not simply hand to its handler. */
abstract class SpecialEvent extends Event {
  SpecialEvent(Handler<?> handler) {
    super(handler);
  }

  @Override
  abstract boolean takesRoom();

  @Override
  abstract boolean takesRoomInAll();
}
