package dev.mely;

/** Wraps an event of a user's class that is no {@link Event}. 24 bytes with compressed oops. */
final class Envelope extends Event {
  private final Object payload;

  Envelope(Object payload) {
    this.payload = payload;
  }

  /** What the event carries if it is an envelope, else the event itself. */
  static Object open(Event event) {
    return event instanceof Envelope envelope ? envelope.payload : event;
  }

  @Override
  Object payload() {
    return payload;
  }
}
