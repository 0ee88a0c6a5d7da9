package dev.mely;

/**
 * An event of the runtime's own that has to do with permissions: a {@link Grant}, a {@link Ticket}
 * or the {@link Children} of an event. A batch ends with it, and then the event itself decides what
 * becomes of the color. Workers know no more about it than this class says.
 */
abstract class PermissionEvent extends SpecialEvent {
  PermissionEvent(Handler<?> handler) {
    super(handler);
  }

  /** The colors that its handler may read or write beside the one in which it runs. */
  abstract Object[] holds();

  /** Its handler has thrown. */
  abstract void failed(Throwable why);

  /** Whether it keeps the color in which it was when the batch is over. */
  abstract boolean keepsColor();

  /** Called by the core's worker when the batch is over. */
  abstract void after(Color color);

  /** Called when it has been taken from its color and will never run. Any thread. */
  abstract void dropped();
}
