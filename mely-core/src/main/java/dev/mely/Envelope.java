package dev.mely;

/** Wraps an event of a user's class that is no {@link Event}. 24 bytes with compressed oops. */
final class Envelope extends Event {
  private final Object payload;

  Envelope(Object payload) {
    this.payload = payload;
  }

  @Override
  Object payload() {
    return payload;
  }
}
