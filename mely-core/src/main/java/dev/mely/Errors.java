package dev.mely;

import org.jspecify.annotations.Nullable;

/** Reports what user code throws, and never throws itself. */
final class Errors {
  private static final System.Logger LOG = System.getLogger("dev.mely");

  private final @Nullable ErrorHandler handler;

  /**
   * @param handler whom to tell; null: log it
   */
  Errors(@Nullable ErrorHandler handler) {
    this.handler = handler;
  }

  /** A handler failed; color is null where there is none (a poller, a rejected event). */
  void report(@Nullable Color color, Object event, Throwable error) {
    try {
      if (handler != null && color != null) {
        handler.onError(color, event, error);
      } else {
        LOG.log(System.Logger.Level.WARNING, "failed: " + describe(event), error);
      }
    } catch (Throwable ignored) {
      // Nothing that can still be done, and the worker must go on.
    }
  }

  private static String describe(Object event) {
    return event.getClass().getName();
  }
}
