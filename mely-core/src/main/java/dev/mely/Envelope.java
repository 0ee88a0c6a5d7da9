package dev.mely;

import java.util.Objects;

/** Wraps an event of a user's class that is no {@link Event}. 24 bytes with compressed oops. */
final class Envelope extends Event {
  private final Object payload;

  Envelope(Object payload) {
    this.payload = payload;
  }

  /**
   * The node of the mailbox for what a user registers: the event itself if it is one, else a new
   * envelope.
   */
  static Event wrap(Object event) {
    return event instanceof Event own ? own : new Envelope(Objects.requireNonNull(event, "event"));
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
