package dev.mely;

import dev.mely.spi.Poller;
import java.time.Duration;

/**
 * Told of what a handler throws, {@link Error}s included, and where one blocks. The color is
 * released and its next event runs in any case; what this method throws is dropped.
 */
@FunctionalInterface
public interface ErrorHandler {
  /**
   * Takes note of a failed event. Called on the worker that ran it, still serially with the other
   * events of the color.
   *
   * <p>Also told when memory runs out as a color is to be queued: with the color in place of the
   * event, on the thread that registered it. The color's pending events are then {@linkplain
   * Handler#rejected rejected}, and it may be used again.
   *
   * @param color the color of the event
   * @param event what the handler was given; for a source of events, the source; for a user's own
   *     event, its {@linkplain Event#subject subject}. It may be registered again
   * @param error what it threw
   */
  void onError(Color color, Object event, Throwable error);

  /**
   * Takes note of a failure that belongs to no event: of a {@link Poller}, of {@link
   * Handler#rejected} or {@link Handler#stage}, of the runtime's own threads when memory runs out.
   * Logs a warning by default, to the system logger {@code dev.mely}. Called on the thread that met
   * it.
   *
   * @param source what failed: the poller, the event that was rejected, a part of the runtime
   * @param error what it threw
   */
  default void onFailure(Object source, Throwable error) {
    Errors.logFailure(source, error);
  }

  /**
   * Takes note of a handler that blocks its core: once, when it has been running for the
   * {@linkplain MelyBuilder#reportBlockedAfter time set for it}. Idle cores take over the other
   * colors of the core long before. Logs a warning by default, with the stack; with a few frames of
   * it where a class is being loaded, as in a program's first seconds. Called on a thread of the
   * runtime that runs no events. A handler that ends while its stack is taken is not reported.
   *
   * @param core number of the core, from 0
   * @param color the color of the event
   * @param handler who handles it
   * @param time for how long it has been running, about
   * @param stack where it is now
   */
  default void onBlocked(
      int core, Color color, Handler<?> handler, Duration time, StackTraceElement[] stack) {
    Errors.logBlocked(core, color, handler, time, stack);
  }
}
