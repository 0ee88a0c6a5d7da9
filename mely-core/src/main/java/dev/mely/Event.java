package dev.mely;

import org.jspecify.annotations.Nullable;

/**
 * An event that its sender owns: the link of the color's mailbox is a field of the event itself, so
 * registering it allocates nothing.
 *
 * <p>Subclass it with the state of your continuation and register the same object again and again.
 * An event is detached from its color before its handler runs, so the handler may register it anew,
 * also under another color. Between registration and that moment it is <em>pending</em> and must
 * not be registered a second time; {@link Mely#register} refuses it then. Events of any other class
 * may be registered too: the runtime wraps them (24 bytes each).
 *
 * <p>Not thread-safe: whoever holds a non-pending event owns it.
 */
public abstract class Event {
  /** The next younger event of the mailbox. Written once by the producer that follows. */
  @Nullable Event next;

  /** Who will handle it; null unless the event is pending. */
  @Nullable Handler<?> handler;

  /** Makes an event that is not pending. */
  protected Event() {}

  /**
   * Returns whether the event waits in a color's queue.
   *
   * @return true from registration until just before the handler runs
   */
  public final boolean isPending() {
    return handler != null;
  }

  /** What the handler is given: the event itself, or what a wrapper carries; null: do not run. */
  @Nullable Object payload() {
    return this;
  }
}
