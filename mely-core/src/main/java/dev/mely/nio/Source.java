package dev.mely.nio;

/**
 * A source of events of one color: a channel that can be read, written or accepted from, or a
 * signal. Made by {@link Nio}.
 *
 * <p>A source <b>starts paused</b>, so that its maker can store it before the first event runs.
 * While it is active it registers one event at a time: the next one not before the handler has
 * returned, and only if there is still, or again, something to handle. A handler that leaves input
 * unread is therefore called again, also after it has thrown.
 *
 * <p>Nothing is lost while a source is paused: what waits in the socket, or the signal that has
 * come, is found when it is resumed. A server that pauses reading while it cannot write is a server
 * with back-pressure.
 *
 * <p>A source may be sent to any color as the payload of an event, like any other object.
 *
 * <p>Thread-safe. Called from the source's own color, {@link #pause} and {@link #cancel} hold at
 * once: the handler does not run again. Called from elsewhere, one event that is already on its way
 * to a worker may still run.
 */
public interface Source {
  /**
   * Lets events come. Does nothing if the source is active or cancelled.
   *
   * @return this
   */
  Source resume();

  /** Lets no events come until {@link #resume}. */
  void pause();

  /**
   * Ends the source for good. The channel stays open and may get a new source of the same kind.
   *
   * @return true if this call ended it
   */
  boolean cancel();

  /**
   * Returns whether no event will come any more.
   *
   * @return true once the source has been cancelled, or its channel closed
   */
  boolean isCancelled();
}
