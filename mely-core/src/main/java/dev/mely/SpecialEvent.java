package dev.mely;

/** An event of the runtime's own, with which a worker does more than to call its handler. */
abstract class SpecialEvent extends Event {
  SpecialEvent(Handler<?> handler) {
    super(handler);
  }

  @Override
  abstract boolean takesRoom();

  @Override
  abstract boolean takesRoomInAll();
}
