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
 * <p>Not thread-safe: the holder of an event that is not pending owns it.
 */
public abstract class Event {
  /**
   * The next younger event of the mailbox. Written once by the producer that follows. Of a timer,
   * while it is in no mailbox: see {@link TimerEvent#chain}.
   */
  @Nullable Event next;

  /**
   * The next handler, or the last one: kept, since most events are registered with the same handler
   * again and again, and a store of a reference costs a fence under G1 (see {@link Mailbox}).
   */
  private @Nullable Handler<?> handler;

  private boolean pending;

  private final boolean takesRoom;

  /** Makes an event that is not pending. */
  protected Event() {
    this(true);
  }

  /**
   * Makes an event that is not pending.
   *
   * @param takesRoom whether it takes room where {@linkplain MelyBuilder#maxPending pending events
   *     are bounded}, the default; false: it is let in however full the runtime is, and does not
   *     count. For events that must not be refused and of which there are few by their nature, such
   *     as one for each thing that is open
   */
  protected Event(boolean takesRoom) {
    this.takesRoom = takesRoom;
  }

  /** Makes an event that is not pending, and will always have the same handler. */
  Event(Handler<?> handler) {
    this(true);
    this.handler = handler;
  }

  /**
   * Returns whether the event waits in a color's queue.
   *
   * @return true from registration until just before the handler runs
   */
  public final boolean isPending() {
    return pending;
  }

  /** Whether it takes room in its color, see {@link Overload}. */
  boolean takesRoom() {
    return takesRoom;
  }

  /** Whether it counts among all that are pending. */
  boolean takesRoomInAll() {
    return takesRoom;
  }

  /** The next handler, or the last one; null if there was none yet. */
  final @Nullable Handler<?> handler() {
    return handler;
  }

  /**
   * Makes the event pending. By its owner.
   *
   * @throws IllegalStateException if it is pending already
   */
  final void attach(Handler<?> newHandler) {
    attachAgain();
    if (handler != newHandler) {
      handler = newHandler;
    }
  }

  /** Makes the event pending, with the handler that it has. Else like {@link #attach}. */
  final void attachAgain() {
    if (pending) {
      throw new IllegalStateException("the event is pending already: " + this);
    }
    pending = true;
  }

  /** It is about to run, or never will. By the thread that has taken it from its color. */
  @SuppressWarnings("unchecked")
  final Handler<Object> detach() {
    Handler<?> attached = handler;
    if (!pending || attached == null) {
      throw new AssertionError("an event that is not pending was in a color: " + this);
    }
    pending = false;
    return (Handler<Object>) attached;
  }

  /**
   * Returns what an {@link ErrorHandler} is told of when handling this event has failed: the event
   * itself by default. For an event that only stands for something else, and is not the error
   * handler's to register again.
   *
   * @return never null
   */
  protected Object subject() {
    return this;
  }

  /** What the handler is given: the event itself, or what a wrapper carries; null: do not run. */
  @Nullable Object payload() {
    return this;
  }
}
