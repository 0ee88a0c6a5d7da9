package dev.mely.nio;

import java.io.IOException;

/**
 * Something that has been started and will end with a result or a failure: a connection, a lookup,
 * a read. When it has ended, its handler is given this object, as an event of its color. Made by
 * {@link Nio}; each ends once, and its handler is called once, unless it is cancelled or the
 * runtime shuts down before.
 *
 * <p>Thread-safe.
 *
 * @param <T> the result
 */
public interface Operation<T> {
  /**
   * Returns the result. A handler that calls this and nothing else passes a failure on to the
   * runtime's error handler.
   *
   * @return what the operation yields
   * @throws IOException why it failed, if it failed
   * @throws IllegalStateException if it has not ended; {@link
   *     java.util.concurrent.CancellationException} if it was cancelled
   */
  T get() throws IOException;

  /**
   * Returns whether the operation is over.
   *
   * @return true once it has a result, has failed or was cancelled
   */
  boolean isDone();

  /**
   * Gives up the operation: its handler will not be called, not even if the result waits for the
   * color already. A connection on its way is closed, and so is a {@link java.io.Closeable} result
   * that no handler will see.
   *
   * @return true if this call cancelled it
   */
  boolean cancel();
}
