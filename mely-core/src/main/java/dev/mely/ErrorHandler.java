package dev.mely;

/**
 * Told of what a handler throws, {@link Error}s included. The color is released and its next event
 * runs whatever this method does; what it throws itself is dropped.
 */
@FunctionalInterface
public interface ErrorHandler {
  /**
   * Takes note of a failed event. Called on the worker that ran it, still serially with the other
   * events of the color.
   *
   * @param color the color of the event
   * @param event what the handler was given
   * @param error what it threw
   */
  void onError(Color color, Object event, Throwable error);
}
